# Reads a .ice file and writes it with ["amd"] before each interface definition, so that slice2cpp generates
# asynchronous dispatch for every operation. Local interfaces (they are never dispatched), forward declarations
# and interfaces that carry the word already are left as they are.
#
# Slice allows one bracket of metadata before a definition: where there is one on the line above, "amd" joins it.

function flush() {
    if (held != "") print held
    held = ""
}

# Inside a comment block nothing is a definition.
/\/\*/ { in_comment = 1 }

!in_comment && /^[ \t]*\["[^]]*\][ \t]*$/ {
    flush()
    held = $0
    next
}

!in_comment && /^[ \t]*(\["[^]]*\][ \t]*)?interface[ \t]+[A-Za-z_]/ && !/;[ \t]*(\/\/.*)?$/ {
    line = $0
    if (line ~ /^[ \t]*\[/) {
        if (line !~ /"amd"/) sub(/\["/, "[\"amd\", \"", line)
        flush()
        print line
    } else if (held != "") {
        if (held !~ /"amd"/) sub(/\["/, "[\"amd\", \"", held)
        flush()
        print line
    } else {
        print "[\"amd\"] " line
    }
    next
}

{
    flush()
    print
}

/\*\// { in_comment = 0 }

END { flush() }
