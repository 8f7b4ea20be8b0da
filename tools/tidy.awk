# The rules of the house, for one pass over many sources; called by tools/tidy, which explains them.
# Prints "file:line: sentence" for each breach and exits with 1 if there was one.

function words(list, into, i, n, part) {
    n = split(list, part, " ")
    for (i = 1; i <= n; ++i) into[part[i]] = 1
}

# The arrows of docs/architecture.md, closed over: who may include a folder may include what it builds on.
function arrow(folder, targets, i, n, part, target) {
    arrows[folder, folder] = 1
    n = split(targets, part, " ")
    for (i = 1; i <= n; ++i) {
        arrows[folder, part[i]] = 1
        for (target in known) if ((part[i], target) in arrows) arrows[folder, target] = 1
    }
    known[folder] = 1
}

BEGIN {
    arrow("base", "")
    arrow("config", "base")
    arrow("metrics", "base")
    arrow("actor", "base")
    arrow("membership", "base")
    arrow("gossip", "base")
    arrow("cluster", "actor membership gossip")
    arrow("message", "actor cluster")
    arrow("receptionist", "actor cluster message gossip")
    arrow("descriptor", "base")
    arrow("catalog", "descriptor")
    arrow("replication", "base")
    arrow("locator", "catalog")
    arrow("session", "catalog")
    arrow("registry", "config catalog replication locator session metrics")
    arrow("node", "descriptor")
    arrow("os", "base config actor replication registry metrics")
    arrow("ice", "registry cluster message")
    # The front door of plane A: what a program joins a cluster by.
    arrow("runtime", "config actor membership gossip cluster message receptionist ice os")
    # Outside muster/: the simulator runs the cores; programs and tests wire everything.
    arrow("sim", "registry cluster receptionist")
    words("apps bench fuzz tests examples", wiring)

    # Folders that may use what belongs to the operating system or to Ice's run time.
    words("os apps bench fuzz tests examples", system_folders)
    words("os ice runtime metrics apps bench fuzz tests", lock_folders)
    words("ice apps bench fuzz tests", runtime_folders)
    # Plane B's model is Slice-generated data; others know nothing of Ice.
    words("descriptor catalog locator session registry node sim ice apps bench fuzz tests message", slice_folders)
    words("metrics os apps bench fuzz tests", metric_folders)
    words("os ice apps bench fuzz tests", crypto_folders)

    length_max = 600
    ratchet = ENVIRON["TIDY_RATCHET"]
    if (ratchet != "") {
        while ((getline line < ratchet) > 0) {
            if (line ~ /^[ \t]*(#|$)/) continue
            split(line, part, " ")
            allowed_length[part[2]] = part[1] + 0
        }
        close(ratchet)
    }
}

function report(line, sentence) {
    if (held_exception != "" && held_line >= line - 1) return
    printf "%s:%d: %s\n", file, line, sentence
    bad = 1
}

function end_of_file() {
    if (file == "") return
    held_exception = ""
    if (file in allowed_length) {
        if (lines > allowed_length[file])
            report(lines, "the file has grown beyond the " allowed_length[file] " lines that tools/tidy.ratchet grants it; split it.")
        else if (lines < allowed_length[file])
            report(lines, "the file has shrunk: lower its number in tools/tidy.ratchet to " lines (lines <= length_max ? ", or rather take it out." : "."))
    } else if (lines > length_max) {
        report(lines, "the file has " lines " lines and may have " length_max "; give its second subject a file of its own.")
    }
    if (is_header && !has_pragma) report(1, "a header begins with #pragma once.")
}

FNR == 1 {
    end_of_file()
    file = FILENAME
    sub(/^\.\//, "", file)
    is_header = file ~ /\.hpp$/
    is_test = file ~ /\.test\.[ch]pp$/ || file ~ /^tests\//
    has_pragma = 0
    in_comment = 0
    asserted = ""
    held_exception = ""
    n = split(file, part, "/")
    folder = part[1] == "muster" ? part[2] : part[1]
    # What programs include to have all of plane A.
    if (file == "muster/muster.hpp") folder = "runtime"
    # The simulator's program, unlike the world that it simulates, has processes and a terminal.
    if (file ~ /^sim\/(main|batch)\.cpp$/) folder = "apps"
    stem = part[n]
    sub(/\..*/, "", stem)
    check_name(stem, 1, "file")
}

{ lines = FNR }

/^#pragma once/ { has_pragma = 1 }

# An exception stands with its reason, on the line or the one above: "// tidy: allow, because ...".
/\/\/ tidy: allow, because [^ ]/ { held_exception = $0; held_line = FNR }
held_exception != "" && held_line < FNR - 1 { held_exception = "" }

/(^|[^A-Za-z0-9_])(TODO|FIXME|XXX)([^A-Za-z0-9_]|$)/ { report(FNR, "unfinished work is not marked in the code but done, or filed.") }
/GTEST_SKIP|DISABLED_/ { report(FNR, "a test is neither skipped nor disabled.") }

{
    code = $0
    if (in_comment) {
        if (!match(code, /\*\//)) next
        code = substr(code, RSTART + 2)
        in_comment = 0
    }
    gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
    sub(/\/\/.*/, "", code)
    while (match(code, /\/\*/)) {
        rest = substr(code, RSTART + 2)
        code = substr(code, 1, RSTART - 1)
        if (!match(rest, /\*\//)) { in_comment = 1; break }
        code = code substr(rest, RSTART + 2)
    }
}

# --- includes ---

/^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    n = split(target, part, "/")
    if (target == "muster/muster.hpp") {
        if (!(folder in wiring) && folder != "runtime")
            report(FNR, "muster/muster.hpp is for programs: the library includes what it needs.")
    } else if (part[1] == "muster" && n >= 3) {
        to = part[2]
        if (!(folder in wiring) && !((folder, to) in arrows))
            report(FNR, "the folder " folder " may not include muster/" to ": the arrows of docs/architecture.md do not lead there.")
    } else if (part[1] == "apps" || part[1] == "sim" || part[1] == "bench" || part[1] == "fuzz" || part[1] == "tests" || part[1] == "examples") {
        if (part[1] != folder && !(folder in wiring) && !(is_test && part[1] == "tests"))
            report(FNR, "the folder " folder " may not include " part[1] "/: nothing in the library knows its programs and tests.")
    } else {
        report(FNR, "an own header is included by its path from the root of the repository, such as \"muster/base/result.hpp\".")
    }
}

/^[ \t]*#[ \t]*include[ \t]*</ {
    target = $0
    sub(/^[^<]*</, "", target)
    sub(/>.*/, "", target)
    if (target ~ /^(thread|stop_token|future|semaphore|latch|barrier|pthread\.h)$/ && !(folder in system_folders) && !is_test)
        report(FNR, "<" target ">: threads are made in os/ only; a core is owned by one strand.")
    if (target ~ /^(mutex|shared_mutex|condition_variable)$/ && !(folder in lock_folders) && !is_test)
        report(FNR, "<" target ">: a core has no locks; it is owned by one strand.")
    if (target ~ /^(lmdb\.h|unistd\.h|fcntl\.h|signal\.h|csignal|poll\.h|netdb\.h|dlfcn\.h|crypt\.h|sys\/.*|netinet\/.*|arpa\/.*|systemd\/.*|spdlog\/.*|boost\/(asio|beast|process).*)$/ && !(folder in system_folders) && !is_test)
        report(FNR, "<" target ">: the operating system is reached in os/ only.")
    if (target ~ /^(fstream|filesystem)$/ && !is_test && folder != "sim" && !(folder in system_folders))
        report(FNR, "<" target ">: files are read and written in os/ only.")
    if (target ~ /^(Ice|IceSSL|IceUtil|IceGrid|Glacier2|Muster)\// && !(folder in slice_folders))
        report(FNR, "<" target ">: the folder " folder " knows nothing of Ice.")
    if (target ~ /^(IceSSL\/.*|Ice\/(Ice|Communicator|CommunicatorF|Connection|ConnectionF|ObjectAdapter|ObjectAdapterF|Plugin|Incoming|Dispatcher|Service)\.h)$/ && !(folder in runtime_folders))
        report(FNR, "<" target ">: communicators, connections and dispatch stay in muster/ice; include the header of the data type that you need.")
    if (target ~ /^prometheus\// && !(folder in metric_folders))
        report(FNR, "<" target ">: metrics are named and counted in metrics/ only.")
    if (target ~ /^openssl\// && !(folder in crypto_folders))
        report(FNR, "<" target ">: cryptography is used in os/ and ice/ only.")
    if (target ~ /^(random|ctime|time\.h)$/ && !(folder in system_folders) && !is_test)
        report(FNR, "<" target ">: a core gets time as an instant and randomness as a prng.")
    next
}

# --- what the code says ---

function check_name(name, line, what, lowered) {
    lowered = "_" tolower(name) "_"
    if (lowered ~ /_session_manager_/) return # Glacier2's own term
    if (lowered ~ /_(impl|manager|helper|helpers|util|utils)_/ || name ~ /[a-z](Impl|Manager|Helper|Helpers|Util|Utils)$/)
        report(line, "the " what " name " name " says how little it says: name what it is or does, without Impl, Manager, Helper or Util.")
}

code ~ /(^|[^A-Za-z0-9_])(class|struct|namespace|enum)[ \t]+[A-Za-z_]/ {
    rest = code
    while (match(rest, /(class|struct|namespace|enum)[ \t]+[A-Za-z_:][A-Za-z0-9_:]*/)) {
        name = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        sub(/^[a-z]+[ \t]+/, "", name)
        check_name(name, FNR, "declared")
    }
}

code ~ /(sleep_for|sleep_until|usleep|nanosleep)[ \t]*\(/ {
    report(FNR, "nothing sleeps for a fixed time: wait on a condition with a generous bound, or use virtual time.")
}

code ~ /(system_clock|steady_clock|high_resolution_clock)::now/ && !(folder in system_folders) && !(is_test && folder == "ice") {
    report(FNR, "clocks are read in os/ only; time comes in as an instant.")
}

code ~ /(std::random_device|std::mt19937|std::rand[ \t]*\(|[^A-Za-z0-9_]getrandom[ \t]*\(|[^A-Za-z0-9_:]srand[ \t]*\()/ && !(folder in system_folders) {
    report(FNR, "randomness comes in as a seeded prng; its seed is drawn in os/ only.")
}

code ~ /std::(jthread|thread|async)[^A-Za-z0-9_]/ && code !~ /std::thread::id/ && !(folder in system_folders) && !is_test {
    report(FNR, "threads are made in os/ only; a core is owned by one strand.")
}

code ~ /Ice::(Communicator|CommunicatorPtr|ObjectAdapter|ObjectAdapterPtr|Connection|ConnectionPtr|Current|initialize)[^A-Za-z0-9_]/ && !(folder in runtime_folders) {
    report(FNR, "communicators, connections and dispatch stay in muster/ice.")
}

code ~ /(^|[^A-Za-z0-9_])(std::)?(cout|cerr|printf|fprintf)[^A-Za-z0-9_]/ && !is_test && folder != "sim" && !(folder in system_folders) {
    report(FNR, "a library does not print: give the caller an error or an event.")
}

# RapidCheck takes the expression of these macros apart to show its values, by operators of its own: no short circuit.
# The condition is collected from the macro's name on until its parentheses are closed, which may be some lines later.
asserted != "" { asserted = asserted " " code }
asserted == "" && match(code, /(^|[^A-Za-z0-9_])RC_(ASSERT|ASSERT_FALSE|PRE|SUCCEED_IF)[ \t]*\(/) {
    asserted = substr(code, RSTART)
    asserted_line = FNR
}
asserted != "" { look_into_assertion() }

function look_into_assertion(i, depth, letter, both, text) {
    text = asserted
    gsub(/'([^'\\]|\\.)'/, "' '", text)
    for (i = 1; i <= length(text); ++i) {
        letter = substr(text, i, 1)
        if (letter ~ /[({[]/) ++depth
        else if (letter ~ /[)}\]]/ && --depth == 0) break
        both = substr(text, i, 2)
        if (depth == 1 && (both == "||" || both == "&&")) {
            report(asserted_line, "RapidCheck evaluates both sides of a " both " that stands outermost in RC_ASSERT or RC_PRE, whatever the first one gives: put it into parentheses of its own.")
            asserted = ""
            return
        }
    }
    if (i <= length(text)) asserted = ""
}

END {
    end_of_file()
    for (path in allowed_length) if (!(path in seen_files) && (getline line < path) < 0) {
        printf "tools/tidy.ratchet:1: %s is listed and does not exist.\n", path
        bad = 1
    }
    exit bad
}
