-- Calls that failed by their own mark, and shell calls whose output looks like a hidden failure.
-- grain:  one row a tool call with a result
-- reads:  calls, messages, sessions
-- params: since (timestamp, UTC)
-- into:   Failure
-- A refusal, an interrupt and a dropped sibling are marked as such and are not asked for. The
-- second part is coarse on purpose: a pipe may hide an exit code, and the words of the output are
-- judged by dream.signals.failing.
WITH suspects AS (
    SELECT
        c.*,
        c.status = 'error' OR coalesce(c.exit_code, 0) <> 0 AS flagged
    FROM calls AS c
    WHERE
        c.result_id IS NOT NULL
        AND (c.happened IS NULL OR c.happened >= $since)
        AND (
            c.status = 'error'
            OR (
                c.status = 'ok'
                AND (
                    coalesce(c.exit_code, 0) <> 0
                    OR (
                        regexp_matches(lower(c.tool), 'bash|shell|exec|terminal|^run')
                        AND regexp_matches(c.arguments, '[|;]|2>')
                    )
                )
            )
        )
)

SELECT
    s.call_id, s.session_id, s.run_id, s.number, s.place, s.tool, s.arguments, s.flagged,
    s.exit_code, s.result_id, s.happened, s.active,
    r.copy_key,
    r.text,
    coalesce(m.text, '') AS said,
    e.project_key
FROM suspects AS s
INNER JOIN messages AS r ON r.message_id = s.result_id
INNER JOIN sessions AS e ON e.session_id = s.session_id
LEFT JOIN messages AS m ON m.message_id = s.message_id
WHERE
    s.flagged
    OR regexp_matches(
        r.text,
        'error TS\d|\berror\[E\d|--- FAIL|\bFAIL(?:ED)?\b|[1-9]\d* (?:tests? )?fail'
        || '|exited with code [1-9]|[1-9]\d* issues:|[1-9]\d* problems? \('
        || '|Formatter would have|would reformat|No such file or directory|ELIFECYCLE'
        || '|npm (?:ERR!|error)|ommand not found|Traceback \(most recent|Error: '
        || '|panic: |\[build failed\]|BUILD FAILED|Found [1-9]\d* errors?'
    )
ORDER BY s.session_id, s.number, s.place, s.call_id
