%% One node with Erlang's pg, as bench-receptionist drives it: a command a line on standard input, and for each exactly
%% one line on standard output, "ok NUMBER..." or "error WHAT". muster_peer.cpp takes the same commands, and says what
%% each of them means; here stands how they are done with pg.
%%
%% Times are os:perf_counter/1, which on Linux is CLOCK_MONOTONIC: the clock of std::chrono::steady_clock, so that a
%% time of this process may be compared with one of another.
%%
%%   erl -noinput -name a@127.0.0.1 -setcookie COOKIE -pa DIR -s pg_peer main -extra OTHER...
-module(pg_peer).
-export([main/0]).

-define(SCOPE, bench).
-define(POLL_MS, 1).

-record(state, {actors = {}, follower, samples = []}).

main() ->
    {ok, _} = pg:start(?SCOPE),
    [true = net_kernel:connect_node(list_to_atom(Other)) || Other <- init:get_plain_arguments()],
    Input = open_port({fd, 0, 1}, [{line, 4096}, binary, eof]),
    Follower = spawn_link(fun() -> follow(#{}, #{}, []) end),
    serve(Input, #state{actors = spawn_actors(1), follower = Follower}).

serve(Input, State) ->
    receive
        {Input, {data, {eol, Line}}} ->
            {Answer, Next} =
                try
                    do([word(W) || W <- binary:split(Line, <<" ">>, [global])], State)
                catch
                    Class:Why -> {{error, {Class, Why}}, State}
                end,
            port_command(Input, [text(Answer), $\n]),
            serve(Input, Next);
        {Input, eof} ->
            halt(0)
    end.

text({error, Why}) -> io_lib:format("error ~0p", [Why]);
text(Numbers) -> ["ok" | [[$\s, integer_to_binary(N)] || N <- Numbers]].

%% A number, or a name.
word(Word) ->
    try binary_to_integer(Word) catch error:badarg -> Word end.

now_ns() -> os:perf_counter(nanosecond).

%% --- the commands ---

do([<<"members">>, Count], State) ->
    until(fun() -> length(nodes()) + 1 >= Count end),
    {[], State};
do([<<"spawn">>, Count], State) ->
    {[], State#state{actors = spawn_actors(Count)}};
do([<<"follow">>, Key], State) ->
    State#state.follower ! {follow, Key},
    {[], State};
do([<<"await">>, Key, Size], State) ->
    {[await(Key, Size, State)], State};
do([<<"register">>, Key], State) ->
    Actor = element(1, State#state.actors),
    Begin = now_ns(),
    ok = pg:join(?SCOPE, Key, Actor),
    {[Begin], State};
do([<<"deregister">>, Key], State) ->
    Actor = element(1, State#state.actors),
    Begin = now_ns(),
    ok = pg:leave(?SCOPE, Key, Actor),
    {[Begin], State};
do([<<"fill">>, Prefix, Count], State) ->
    Actors = State#state.actors,
    Pairs = [{key(Prefix, I), element(I rem size(Actors) + 1, Actors)} || I <- lists:seq(0, Count - 1)],
    Begin = now_ns(),
    [ok = pg:join(?SCOPE, Key, Actor) || {Key, Actor} <- Pairs],
    {[Begin, now_ns()], State};
do([<<"crowd">>, Key], State) ->
    [ok = pg:join(?SCOPE, Key, Actor) || Actor <- tuple_to_list(State#state.actors)],
    {[], State};
do([<<"count">>, Prefix, Count], State) ->
    {[length(remaining(Prefix, Count))], State};
do([<<"sample">>, Prefix, Count, Samples], State) ->
    Numbers = lists:usort([(I * Count) div Samples || I <- lists:seq(0, Samples - 1)] ++ [Count - 1]),
    Keys = [key(Prefix, I) || I <- Numbers],
    [State#state.follower ! {follow, Key} || Key <- Keys],
    [await(Key, 1, State) || Key <- Keys],
    {[], State#state{samples = Keys}};
do([<<"gone">>, Prefix, Count], State) ->
    Last = lists:max([await(Key, 0, State) || Key <- State#state.samples]),
    case remaining(Prefix, Count) of
        [] -> {[Last, 0], State};
        Left ->
            [until(fun() -> pg:get_members(?SCOPE, Key) =:= [] end) || Key <- Left],
            {[now_ns(), length(Left)], State}
    end;
do([<<"lookup">>, Key, Count], State) ->
    {apart(fun() -> look(Key, Count) end) ++ [length(pg:get_members(?SCOPE, Key))], State};
do([<<"find">>, Key, Count], State) ->
    Desk = spawn(fun desk/0),
    Took = apart(fun() -> find(Desk, Key, Count) end),
    exit(Desk, kill),
    {Took, State};
do([<<"churn">>, Count, Outstanding], State) ->
    Keys = list_to_tuple([key(<<"churn-">>, I) || I <- lists:seq(0, Outstanding - 1)]),
    Actor = element(1, State#state.actors),
    {apart(fun() -> churn(Keys, Actor, Count) end), State};
do([<<"settle">>], State) ->
    [erlang:garbage_collect(Process) || Process <- processes()],
    {[], State};
do([<<"heap">>], State) ->
    {[erlang:memory(total)], State}.

spawn_actors(Count) ->
    list_to_tuple([spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, Count)]).

%% 16 characters: the prefix, and a number with zeroes before it.
key(Prefix, Number) ->
    Digits = integer_to_binary(Number),
    Zeroes = binary:copy(<<"0">>, 16 - byte_size(Prefix) - byte_size(Digits)),
    <<Prefix/binary, Zeroes/binary, Digits/binary>>.

until(Condition) ->
    case Condition() of
        true -> ok;
        false -> timer:sleep(?POLL_MS), until(Condition)
    end.

%% In a process of its own, whose heap is fresh; what it took in nanoseconds.
apart(Function) ->
    Self = self(),
    Process = spawn_link(fun() ->
        Begin = now_ns(),
        Function(),
        Self ! {self(), now_ns() - Begin}
    end),
    receive {Process, Took} -> [Took] end.

look(_, 0) -> ok;
look(Key, Left) ->
    [_ | _] = pg:get_members(?SCOPE, Key),
    look(Key, Left - 1).

%% pg has no way to be asked by message; this is the least process that answers such a question.
desk() ->
    receive
        {find, From, Key} -> From ! {listing, Key, pg:get_members(?SCOPE, Key)}
    end,
    desk().

find(_, _, 0) -> ok;
find(Desk, Key, Left) ->
    Desk ! {find, self(), Key},
    receive {listing, Key, [_ | _]} -> ok end,
    find(Desk, Key, Left - 1).

churn(_, _, 0) -> ok;
churn(Keys, Actor, Left) ->
    Key = element(Left rem size(Keys) + 1, Keys),
    ok = pg:join(?SCOPE, Key, Actor),
    ok = pg:leave(?SCOPE, Key, Actor),
    churn(Keys, Actor, Left - 1).

remaining(Prefix, Count) ->
    [Key || I <- lists:seq(0, Count - 1), Key <- [key(Prefix, I)], pg:get_members(?SCOPE, Key) =/= []].

%% --- the subscriber ---

await(Key, Size, State) ->
    State#state.follower ! {await, self(), Key, Size},
    receive {reached, Key, Time} -> Time end.

%% Known: what each key has, and since when. Asked: who waits for a key to have so many.
follow(Keys, Known, Asked) ->
    receive
        {follow, Key} ->
            {Monitor, Members} = pg:monitor(?SCOPE, Key),
            told(Keys#{Monitor => Key}, Known, Asked, Key, length(Members), now_ns());
        {Monitor, join, Key, Members} when is_map_key(Monitor, Keys) ->
            Time = now_ns(),
            {Size, _} = maps:get(Key, Known),
            told(Keys, Known, Asked, Key, Size + length(Members), Time);
        {Monitor, leave, Key, Members} when is_map_key(Monitor, Keys) ->
            Time = now_ns(),
            {Size, _} = maps:get(Key, Known),
            told(Keys, Known, Asked, Key, Size - length(Members), Time);
        {await, From, Key, Size} ->
            case Known of
                #{Key := {Size, Time}} ->
                    From ! {reached, Key, Time},
                    follow(Keys, Known, Asked);
                _ -> follow(Keys, Known, [{From, Key, Size} | Asked])
            end
    end.

told(Keys, Known, Asked, Key, Size, Time) ->
    Answered = [Waiter || {_, K, S} = Waiter <- Asked, K =:= Key, S =:= Size],
    [From ! {reached, Key, Time} || {From, _, _} <- Answered],
    follow(Keys, Known#{Key => {Size, Time}}, Asked -- Answered).
