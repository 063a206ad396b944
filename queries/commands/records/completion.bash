# linetrail for bash: put this into ~/.bashrc
#   eval "$(linetrail completion bash)"
_linetrail() {
    local IFS=$'\n'
    COMPREPLY=($(linetrail __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" "${COMP_WORDS[COMP_CWORD]}" 2>/dev/null))
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/:=] ]]; then
        compopt -o nospace
    fi
}
complete -o bashdefault -o default -F _linetrail linetrail git-linetrail
_git_linetrail() { _linetrail; }
