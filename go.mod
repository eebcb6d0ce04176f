module lore

go 1.26
