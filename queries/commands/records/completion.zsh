#compdef linetrail git-linetrail
# linetrail for zsh: put this into ~/.zshrc, behind compinit
#   eval "$(linetrail completion zsh)"
_linetrail() {
    local line value
    local -a whole open whole_about open_about
    while IFS= read -r line; do
        value=${line%%$'\t'*}
        if [[ $value == *[/:=] ]]; then
            open+=("$value")
            open_about+=("$value  -- ${line#*$'\t'}")
        else
            whole+=("$value")
            whole_about+=("$value  -- ${line#*$'\t'}")
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
