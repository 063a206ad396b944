-- one row is one file that changed or that a rule was broken for, and that only people should change
-- needs: mutation_files, violations
-- by its name alone, in upper or lower case; the first kind that fits
with
named as (
    select path
    from mutation_files
    union
    select path
    from violations
    where path is not null
),

judged as (
    select
        path,
        case
            -- what the gate and the ledger are made of
            when regexp_matches(lower(path), '^(outside:)?(.*/)?\.git(/|$)') then 'git'
            when regexp_matches(lower(path), '^(\.orchestration|\.intentignore)(/|$)') then 'gate'
            -- what steers agents: settings, hooks, servers, instructions, memory
            when regexp_matches(
                lower(path),
                '(^|/)\.(claude|cursor|codex|gemini|amp|cline|clinerules|continue|devin|factory|kiro|opencode|roo|windsurf)(/|$)'
            )
                then 'agent'
            when regexp_matches(lower(path), '^\.(vscode)/|^\.github/(hooks|copilot)(/|$)') then 'agent'
            when regexp_matches(
                lower(path),
                '(^|/)(claude|agent|agents|gemini|memory|copilot-instructions)(\.local)?\.md$'
                || '|(^|/)\.(cursorrules|windsurfrules|clinerules|mcp\.json|aider\.conf\.yml)$'
                || '|(^|/)opencode\.jsonc?$|(^|/)mcp\.json$'
            )
                then 'agent'
            -- what runs with rights of its own
            when regexp_matches(
                lower(path),
                '^\.(github/(workflows|actions)|circleci|buildkite|woodpecker|forgejo/workflows|gitea/workflows|ci)(/|$)'
                || '|(^|/)(\.gitlab-ci[^/]*\.ya?ml|jenkinsfile|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml'
                || '|\.travis\.yml|\.drone\.yml|appveyor\.yml|cloudbuild\.ya?ml|buildspec\.ya?ml)$'
            )
                then 'ci'
            when regexp_matches(lower(path), '(^|/)(\.pre-commit-config\.yaml|\.husky(/.*)?|lefthook\.ya?ml|\.githooks(/.*)?)$')
                then 'hooks'
            when regexp_matches(lower(path), '(^|/)(codeowners|\.gitattributes|\.gitmodules|security\.md)$') then 'policy'
            when
                regexp_matches(
                    lower(path),
                    '(^|/)(\.env(\..+)?|\.npmrc|\.pypirc|\.netrc|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)[^/]*|credentials(\.json)?'
                    || '|secrets?\.(ya?ml|json|toml|env)|[^/]+\.(pem|key|p12|pfx|keystore|jks))$|(^|/)\.(ssh|aws|gnupg|kube)(/|$)'
                )
                and not regexp_matches(lower(path), '\.(example|sample|template|dist|pub)$')
                then 'secrets'
        end as protected_as
    from named
)

select path, protected_as
from judged
where protected_as is not null;
