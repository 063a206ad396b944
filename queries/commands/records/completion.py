"""`linetrail completion`: print a script that makes a shell complete commands, options, ids and paths."""

import argparse

# What bash is told replaces its own idea of the word, which begins behind each `:` and `=`; the line says the rest.
_BASH = """\
# linetrail for bash: put this into ~/.bashrc
#   eval "$(linetrail completion bash)"
_linetrail() {
    local IFS=$'\\n'
    COMPREPLY=($(linetrail __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" "${COMP_WORDS[COMP_CWORD]}" 2>/dev/null))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace
    fi
}
complete -o bashdefault -o default -F _linetrail linetrail git-linetrail
_git_linetrail() { _linetrail; }
"""
_ZSH = """\
#compdef linetrail git-linetrail
# linetrail for zsh: put this into ~/.zshrc, behind compinit
#   eval "$(linetrail completion zsh)"
_linetrail() {
    local line value
    local -a whole open whole_about open_about
    while IFS= read -r line; do
        value=${line%%$'\\t'*}
        if [[ $value == *[/:=] ]]; then
            open+=("$value")
            open_about+=("$value  -- ${line#*$'\\t'}")
        else
            whole+=("$value")
            whole_about+=("$value  -- ${line#*$'\\t'}")
        fi
    done < <(linetrail __complete zsh "${(@Q)words[1,CURRENT]}" 2>/dev/null)
    if (( ${#whole} + ${#open} == 0 )); then
        _files
        return
    fi
    (( ${#whole} )) && compadd -l -d whole_about -a -- whole
    (( ${#open} )) && compadd -S '' -l -d open_about -a -- open
    return 0
}
compdef _linetrail linetrail git-linetrail
"""
_FISH = """\
# linetrail for fish: put this into ~/.config/fish/completions/linetrail.fish
#   linetrail completion fish > ~/.config/fish/completions/linetrail.fish
function __linetrail_complete
    set -l found (linetrail __complete fish (commandline -opc) (commandline -ct | string unescape) 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c linetrail -f -a '(__linetrail_complete)'
complete -c git-linetrail -f -a '(__linetrail_complete)'
"""
SHELLS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the argument of `completion`."""
    parser.epilog = 'In bash: eval "$(linetrail completion bash)". The first lines of each answer say where it belongs.'
    parser.add_argument("shell", choices=SHELLS, help="which shell is to complete")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(SHELLS[args.shell], end="")
    return 0
