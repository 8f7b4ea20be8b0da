# Reads a header that slice2cpp generated and fails when a servant's operation is dispatched synchronously: such
# an operation could block a dispatch thread (see add-amd.awk).
/^ *virtual .*const ::Ice::Current& current[^)]*\)( const)? = 0;/ && !/(Async|_async)\(/ {
    printf "%s:%d: this operation is dispatched synchronously; tools/add-amd.awk has missed its interface: %s\n",
        FILENAME, FNR, $0 > "/dev/stderr"
    bad = 1
}
END { exit bad }
