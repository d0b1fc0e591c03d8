package dev.weir.samples.gateway;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The parsed command line.
 *
 * @param port the port to listen on
 * @param rate how many requests are admitted per second
 * @param requests how many requests to send; zero sends none
 * @param connections how many connections send them
 */
record GatewayArguments(int port, int rate, int requests, int connections) {

    static GatewayArguments parse(String... args) {
        int port = 8_080;
        int rate = 1_000;
        int requests = 0;
        int connections = 200;
        Deque<String> rest = new ArrayDeque<>(List.of(args));
        while (!rest.isEmpty()) {
            String option = rest.remove();
            switch (option) {
                case "--port" -> port = number(option, rest, 0, 65_535);
                case "--rate" -> rate = number(option, rest, 1, 1_000_000);
                case "--load" -> {
                    boolean isDefault = rest.isEmpty() || rest.element().startsWith("--");
                    requests = isDefault ? 50_000 : number(option, rest, 1, 1_000_000);
                    connections = isDefault ? 200 : number(option, rest, 1, 1_000);
                }
                default -> throw new IllegalArgumentException("unknown option: " + option);
            }
        }
        return new GatewayArguments(port, rate, requests, connections);
    }

    boolean isLoad() {
        return requests > 0;
    }

    private static int number(String option, Deque<String> rest, int least, int most) {
        String text = rest.isEmpty() ? "" : rest.remove();
        if (!text.matches("\\d{1,7}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
            throw new IllegalArgumentException(
                    option + " needs a number from " + least + " to " + most + ", not '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
