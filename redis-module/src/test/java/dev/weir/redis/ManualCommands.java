package dev.weir.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Calls that go out, and come back, when a test says so. */
final class ManualCommands implements Commands {

    final List<String[]> asked = new ArrayList<>();
    private final Queue<Runnable> calls = new ArrayDeque<>();
    private final Commands behind;

    ManualCommands(Commands behind) {
        this.behind = behind;
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        asked.add(arguments);
        calls.add(() -> behind.run(script, keys, arguments, listener));
    }

    void answer() {
        calls.remove().run();
    }

    void answerAll() {
        while (!calls.isEmpty()) {
            answer();
        }
    }
}
