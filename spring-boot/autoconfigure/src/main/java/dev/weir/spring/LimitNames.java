package dev.weir.spring;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Compares names of limits as Spring Boot compares property names: ignoring case, dashes and underscores. Two limits whose names
 * are equal in this sense would both get the settings of the one that Spring Boot finds first.
 */
final class LimitNames {

    private LimitNames() {}

    /**
     * Returns the entries without those whose name is only another spelling of an existing one: names from environment variables
     * are always in lower case and without dashes.
     *
     * @throws InvalidLimitException if two names cannot be distinguished
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
     * Checks names in their original spelling.
     *
     * @throws InvalidLimitException if two of them cannot be distinguished
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
