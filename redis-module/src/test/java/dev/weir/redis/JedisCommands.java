package dev.weir.redis;

import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.util.SafeEncoder;

/** Runs scripts by a plain blocking client: the reply is there before the call returns. Keeps what was said. */
final class JedisCommands implements Commands {

    final List<String[]> asked = new ArrayList<>();
    final List<Answer> answers = new ArrayList<>();
    private final ScriptHost host;

    JedisCommands(ScriptHost host) {
        this.host = host;
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        List<String> command = new ArrayList<>();
        command.add(script.text());
        command.add(Integer.toString(keys.length));
        command.addAll(List.of(keys));
        command.addAll(List.of(arguments));
        String reply = SafeEncoder.encode(
                (byte[]) host.jedis().sendCommand(Protocol.Command.EVAL, command.toArray(String[]::new)));
        asked.add(arguments);
        answers.add(Answer.of(reply));
        listener.replied(reply);
    }

    Answer latestAnswer() {
        return answers.get(answers.size() - 1);
    }
}
