-- one row is one wish of an agent to use a tool
-- needs: ledger
-- types: tool.requested
with
typed as (
    select
        *,
        json_transform(
            payload,
            '{
                "permission_mode": "VARCHAR", "prompt_id": "VARCHAR", "tool_call_id": "VARCHAR",
                "tool_name": "VARCHAR", "operation": "VARCHAR", "agent_id": "VARCHAR", "agent_type": "VARCHAR",
                "targets": [{"path": "VARCHAR", "role": "VARCHAR"}], "command": "VARCHAR",
                "cwd": "VARCHAR", "input_sha256": "VARCHAR"
            }'
        ) as data
    from ledger
    where event_type = 'tool.requested'
)

select
    position,
    event_id,
    occurred_at,
    session_id,
    intent_id,
    agent.name as agent_name,
    agent.model_id as model_id,
    vcs.revision as vcs_revision,
    data.tool_call_id as tool_call_id,
    data.prompt_id as prompt_id,
    data.tool_name as tool_name,
    data.operation as operation_name,
    data.targets[1].path as path,
    data.command as command,
    data.cwd as cwd,
    -- nothing else runs whose status would hide that of the tests
    data.operation = 'shell' and regexp_matches(
        data.command,
        '^(cd \S+ && )?(\w+=\S+ )*((uv|poetry|pdm|hatch|pipenv|rye) run |npx |bunx |(pnpm|yarn) (exec |dlx )?'
        || '|python[\d.]* -m |bundle exec )?(\S*/)?'
        || '(pytest|py\.test|unittest|nose2|tox|nox|jest|vitest|mocha|ava|phpunit|pest|rspec|ctest|behave|nextest'
        || '|(npm|pnpm|yarn|bun|deno|go|cargo|dotnet|mix|rake|rails|swift|sbt|bazel|gradle|gradlew|mvn|mvnw|make'
        || '|just|zig build|composer|meson|lein|stack|cabal|dune) (-\S+ )*(run )?(tests?|t|check|spec|nextest)'
        || '([:_-][\w:-]+)?)( [^|;&<>\n]*)?( 2>&1)?$'
    ) as runs_tests,
    -- it begins with a program that writes files anew as a project wants them
    data.operation = 'shell' and regexp_matches(
        data.command,
        '^(cd \S+ && )?(\w+=\S+ )*((uv|poetry|pdm|hatch|pipenv|rye) run |uvx |npx |bunx |(pnpm|yarn) (exec |dlx )?'
        || '|python[\d.]* -m |bundle exec )?(\S*/)?'
        || '(ruff format|black|isort|rustfmt|(cargo|terraform|tofu|deno|dprint|buf|zig) fmt|go fmt|(dart|mix|dotnet|swift) format'
        || '|(ruff check|ruff|eslint|stylelint|oxlint|biome (check|lint)) [^;&|\n]*--(fix|write|apply)'
        || '|(prettier|biome format|biome check) [^;&|\n]*(--write|-w)|(gofmt|gofumpt|goimports|shfmt) [^;&|\n]*-w'
        || '|(clang-format|yapf|autopep8|docformatter|autoflake) [^;&|\n]*(-i|--in-place)|pre-commit run'
        || '|(npm|pnpm|yarn|bun|make|just) (-\S+ )*(run )?(fmt|format|lint[:-]fix)([:_-][\w:-]+)?)(\s|$|;|&|\|)'
    ) as formats,
    data.input_sha256 as input_hash,
    data.permission_mode as permission_mode,
    data.agent_id as agent_id,
    data.agent_type as agent_type
from typed;
