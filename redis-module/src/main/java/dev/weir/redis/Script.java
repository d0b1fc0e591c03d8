package dev.weir.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * A script and its digest, by which Redis knows it. Composed of the parts that the kinds of limits need; there are few
 * combinations.
 *
 * @param text the source
 * @param sha its SHA-1 in lower-case hexadecimal digits
 */
record Script(String text, String sha) {

    private static final Map<String, String> PARTS = parts();
    private static final Map<Set<Member.Kind>, Script> MADE = new ConcurrentHashMap<>();

    /** Loads the script parts: to be called where that may take a while. */
    static void prepare() {
        Script unused = of("");
    }

    private static Map<String, String> parts() {
        Map<String, String> parts = new HashMap<>();
        parts.put("prelude", part("prelude"));
        parts.put("trip", part("trip"));
        parts.put("batch", part("batch"));
        for (Member.Kind kind : Member.Kind.values()) {
            parts.put(kind.script, kind.files.stream().map(Script::part).collect(Collectors.joining()));
            if (kind.quick) {
                parts.put("quick-" + kind.script, part("quick-" + kind.script));
            }
        }
        return Map.copyOf(parts);
    }

    static Script of(List<Member> members) {
        EnumSet<Member.Kind> kinds = EnumSet.noneOf(Member.Kind.class);
        members.forEach(member -> kinds.add(member.kind()));
        Script known = MADE.get(kinds);
        if (known == null) {
            known = made(kinds);
            MADE.putIfAbsent(Set.copyOf(kinds), known);
        }
        return known;
    }

    private static Script made(Set<Member.Kind> kinds) {
        StringBuilder text = new StringBuilder().append(PARTS.get("prelude"));
        text.append("local function decide()\n");
        if (kinds.size() == 1) {
            kinds.stream().filter(kind -> kind.quick).forEach(kind -> text.append(PARTS.get("quick-" + kind.script)));
        }
        kinds.forEach(kind -> text.append(PARTS.get(kind.script)));
        text.append(PARTS.get("trip")).append("end\n").append(PARTS.get("batch"));
        return of(text.toString());
    }

    static Script of(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return new Script(text, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }

    /** Reads a part, without indentation, blank lines and comment lines. */
    private static String part(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("no script " + name);
            }
            String source = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            StringBuilder text = new StringBuilder(source.length());
            source.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                    .forEach(line -> text.append(line).append('\n'));
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
