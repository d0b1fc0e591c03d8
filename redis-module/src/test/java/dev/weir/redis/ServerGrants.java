package dev.weir.redis;

import java.util.Queue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes down when the server says that permits may be used, in nanoseconds of its clock; but for those given back. */
record ServerGrants(Commands commands, Queue<Long> times) implements Commands {

    private void forget(String undone) {
        Matcher slots = Pattern.compile("(\\d+):(\\d+)").matcher(undone);
        while (slots.find()) {
            for (int i = 0; i < Integer.parseInt(slots.group(1)); i++) {
                times.remove(Long.parseLong(slots.group(2)) * 1000);
            }
        }
    }

    /** What a question gives back, of the arguments of a script. */
    static String undone(String[] arguments) {
        String told = arguments[3];
        return told.isEmpty() ? "" : told.split(" ", -1)[2];
    }

    @Override
    public void run(Script script, String[] keys, String[] arguments, Listener listener) {
        commands.run(script, keys, arguments, new Listener() {
            @Override
            public void replied(String reply) {
                Answer answer = Answer.of(reply);
                forget(undone(arguments));
                for (long i = 0; i < answer.granted(); i++) {
                    times.add(answer.nowNanos());
                }
                answer.bookings().forEach(booking -> {
                    for (int i = 0; i < booking.permits(); i++) {
                        times.add(answer.nowNanos() + booking.inNanos());
                    }
                });
                listener.replied(reply);
            }

            @Override
            public void failed(Throwable cause) {
                listener.failed(cause);
            }
        });
    }
}
