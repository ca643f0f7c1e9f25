-- Conversations, each once, with the project they belong to.
-- grain:  one row a session
-- reads:  session_heads
-- params: none
-- into:   view sessions
SELECT
    session_id, agent, kind, cwd, git_branch, title, parent_id, started, ended, agent_version,
    line, project_key, project_name, project_root, human_prompts, messages
FROM session_heads
