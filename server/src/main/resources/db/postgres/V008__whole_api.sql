-- What the rest of the API keeps.

-- The time that a sender asked for; null means at once. Written beside the insert, so that other messages pay nothing for it.
ALTER TABLE messages ADD COLUMN deliver_at bigint;
