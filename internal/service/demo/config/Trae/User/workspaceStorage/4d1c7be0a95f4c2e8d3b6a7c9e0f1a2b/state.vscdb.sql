CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO ItemTable VALUES ('memento/icube-ai-agent-storage', '{"list":[
  {"sessionId":"tide-legend","createdAt":1770805200000,"updatedAt":1770805320000,"model":"sample-1","messages":[
    {"role":"user","content":"The legend of the tide map hides the harbour on narrow screens. Put it below the map there.","turnId":"turn-1","turnIndex":0,"timestamp":1770805200000},
    {"role":"assistant","content":"","turnId":"turn-1","turnIndex":0,"timestamp":1770805230000,"agentTaskContent":{
      "proposalReasoningContent":"The legend is placed absolutely, so it covers whatever is under it.",
      "guideline":{"planItems":[
        {"toolName":"edit_file","thought":"A media query is enough.","filePath":"web/legend.css","newContent":"@media (max-width: 40em) { .legend { position: static } }"},
        {"toolName":"finish","thought":"Below 40em the legend now stands under the map."}]}}}]}],
  "currentSessionId":"tide-legend"}');
