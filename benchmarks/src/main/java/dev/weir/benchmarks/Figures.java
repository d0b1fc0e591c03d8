package dev.weir.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a run found out, by name; and how a virtual machine tells it to the one that started it. */
public final class Figures {

    private static final String MARK = "figures: ";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, Double> all = new LinkedHashMap<>();

    public Figures put(String name, double figure) {
        all.put(name, figure);
        return this;
    }

    public Map<String, Double> all() {
        return all;
    }

    /** Prints them on a line that is found again. */
    public static void say(Map<String, Double> figures) {
        try {
            System.out.println(MARK + JSON.writeValueAsString(figures));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Says them and ends. */
    public static void tell(Map<String, Double> figures) {
        say(figures);
        // Some contenders leave threads behind that would keep the machine alive.
        System.exit(0);
    }

    /** Whether a line that another machine has printed is one of these. */
    public static boolean areIn(String line) {
        return line.startsWith(MARK);
    }

    /** Finds them in what another machine has printed. */
    public static Map<String, Double> heard(String output) {
        String line = output.lines()
                .filter(Figures::areIn)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no figures in:\n" + output));
        try {
            return JSON.readValue(line.substring(MARK.length()), new TypeReference<LinkedHashMap<String, Double>>() {});
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(line, e);
        }
    }
}
