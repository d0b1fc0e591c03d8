package dev.weir.spring;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

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
        for (String name : byName.keySet()) {
            if (!name.equals(plain(name))) {
                apart.remove(plain(name));
            }
        }
        check(apart.keySet());
        return apart;
    }

    /**
     * Checks names that were written as they are meant.
     *
     * @throws InvalidLimitException if two of them cannot be told apart
     */
    static void check(Set<String> names) {
        Map<String, String> known = new HashMap<>();
        for (String name : names) {
            String other = known.putIfAbsent(plain(name), name);
            if (other != null) {
                throw new InvalidLimitException(
                        "weir.limits." + name,
                        "must not differ from '" + other
                                + "' in case, dashes or underscores alone, as both are the same to Spring Boot");
            }
        }
    }

    private static String plain(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }
}
