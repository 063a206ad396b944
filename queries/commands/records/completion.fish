# linetrail for fish: put this into ~/.config/fish/completions/linetrail.fish
#   linetrail completion fish > ~/.config/fish/completions/linetrail.fish
function __linetrail_complete
    set -l found (linetrail __complete fish (commandline -opc) (commandline -ct | string unescape) 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c linetrail -f -a '(__linetrail_complete)'
complete -c git-linetrail -f -a '(__linetrail_complete)'
