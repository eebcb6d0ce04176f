CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER, prompt_tokens INTEGER,
  completion_tokens INTEGER, cost REAL, updated_at INTEGER, created_at INTEGER, summary_message_id TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER,
  updated_at INTEGER, finished_at INTEGER, provider TEXT, is_summary_message INTEGER NOT NULL DEFAULT 0);
INSERT INTO sessions (id, title, message_count, prompt_tokens, completion_tokens, updated_at, created_at)
  VALUES ('c5b1e0d4-7a92-4f3e-8c61-0d9b2a4e6f81', 'Flaky clock in the lantern tests', 2, 310, 95, 1771405512, 1771405500);
INSERT INTO messages (id, session_id, role, parts, model, created_at) VALUES
  ('a1d7c3e0-1b44-4c0f-9e25-5f6a7b8c9d01', 'c5b1e0d4-7a92-4f3e-8c61-0d9b2a4e6f81', 'user',
   '[{"type":"text","data":{"text":"TestLanternTimeout fails once in fifty runs. What is it waiting for?"}}]', '', 1771405500),
  ('a1d7c3e0-1b44-4c0f-9e25-5f6a7b8c9d02', 'c5b1e0d4-7a92-4f3e-8c61-0d9b2a4e6f81', 'assistant',
   '[{"type":"reasoning","data":{"thinking":"It reads the wall clock twice."}},{"type":"text","data":{"text":"It compares two reads of the wall clock. Pass a clock to NewLantern and move it by hand in the test."}},{"type":"finish","data":{"reason":"stop","time":1771405512}}]', 'sample-1', 1771405512);
