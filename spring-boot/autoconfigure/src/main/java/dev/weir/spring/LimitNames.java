package dev.weir.spring;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells names of limits apart as Spring Boot tells those of properties apart: not by case, dashes or underscores. Of two that are
 * the same to it, each would have the settings of whichever it finds first.
 */
final class LimitNames {

    private LimitNames() {}

    /**
     * Returns what there is by name, without names that are only another way to write one that is there: a variable of the
     * environment cannot say it but in lower case, without dashes.
     *
     * @throws InvalidLimitException if two names cannot be told apart
     */
    static <T> Map<String, T> toldApart(Map<String, T> byName) {
        Map<String, T> apart = new LinkedHashMap<>(byName);
        Map<String, String> known = new LinkedHashMap<>();
        for (String name : byName.keySet()) {
            String plain = plain(name);
            if (!name.equals(plain)) {
                check(name, known.put(plain, name));
                apart.remove(plain);
            }
        }
        return apart;
    }

    private static void check(String name, @Nullable String other) {
        if (other != null) {
            throw new InvalidLimitException(
                    "weir.limits." + name,
                    "must not differ from '" + other
                            + "' in case, dashes or underscores alone, as both are the same to Spring Boot");
        }
    }

    private static String plain(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }
}
