package dev.weir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Several calls of one script and one limit, for different keys, sent to the server as one command. So the server has one command
 * to read, one script to start and one reply to write. Each call is decided and answered on its own, in the order of arrival.
 */
final class Batch {

    /** The first character of the answer to a failed call. */
    private static final char FAILED = '-';

    private final List<ScriptCall> calls;
    private final Consumer<List<ScriptCall>> apart;

    private Batch(List<ScriptCall> calls, Consumer<List<ScriptCall>> apart) {
        this.calls = calls;
        this.apart = apart;
    }

    /** What calls in one batch have in common: all but their keys and questions. */
    private record Likeness(ProtocolKeyword how, String script, int keys, List<String> limit) {

        static Likeness of(OnceCommand call) {
            return new Likeness(call.getType(), call.script, call.keys.length, call.limit());
        }
    }

    /**
     * Merges calls into fewer commands that do the same.
     *
     * @param calls in the order of arrival
     * @param most how many calls to send as one, at most
     * @param apart sends calls one by one that the server has refused as one; it has executed none of them
     */
    static List<ScriptCall> of(List<ScriptCall> calls, int most, Consumer<List<ScriptCall>> apart) {
        Map<Likeness, List<ScriptCall>> alike = new LinkedHashMap<>();
        for (ScriptCall call : calls) {
            alike.computeIfAbsent(Likeness.of(call.command), likeness -> new ArrayList<>())
                    .add(call);
        }
        List<ScriptCall> commands = new ArrayList<>();
        for (List<ScriptCall> all : alike.values()) {
            for (int from = 0; from < all.size(); from += most) {
                List<ScriptCall> some = all.subList(from, Math.min(all.size(), from + most));
                commands.add(some.size() == 1 ? some.get(0) : new Batch(some, apart).asOne());
            }
        }
        return commands;
    }

    private ScriptCall asOne() {
        OnceCommand first = calls.get(0).command;
        List<String> keys = new ArrayList<>();
        List<String> arguments = new ArrayList<>(List.of("", Integer.toString(calls.size())));
        for (ScriptCall each : calls) {
            keys.addAll(Arrays.asList(each.command.keys));
            arguments.addAll(each.command.asked());
        }
        arguments.addAll(first.limit());
        OnceCommand together = new OnceCommand(
                first.getType(), first.script, keys.toArray(String[]::new), arguments.toArray(String[]::new));
        ScriptCall asOne = new ScriptCall(together);
        var unused = asOne.whenComplete((reply, failure) -> {
            if (failure == null) {
                answerEach(String.valueOf(reply).split("\n", -1));
            } else if (together.isRefused() && mayBeBecauseTheyAreMany(failure)) {
                sendApart();
            } else {
                failAll(together.reason(failure));
            }
        });
        return asOne;
    }

    /** A cluster node refuses keys of several slots, and an ACL may deny some of the keys to this user. */
    private static boolean mayBeBecauseTheyAreMany(Throwable refusal) {
        return Symptoms.isOfOneKey(refusal) && !(refusal instanceof RedisNoScriptException);
    }

    private void answerEach(String[] answers) {
        if (answers.length != calls.size()) {
            failAll(new IllegalStateException(answers.length + " answers to " + calls.size() + " questions"));
            return;
        }
        for (int call = 0; call < answers.length; call++) {
            String answer = answers[call];
            if (answer.indexOf(FAILED) == 0) {
                calls.get(call).completeExceptionally(new RedisCommandExecutionException(answer.substring(1)));
            } else {
                calls.get(call).complete(answer);
            }
        }
    }

    private void sendApart() {
        try {
            apart.accept(calls);
        } catch (Throwable refused) {
            failAll(refused);
        }
    }

    private void failAll(Throwable failure) {
        calls.forEach(call -> call.completeExceptionally(failure));
    }
}
