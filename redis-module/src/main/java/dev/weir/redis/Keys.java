package dev.weir.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The names of keys: {@code prefix:v1:{limiter:key}:kind}. The braces mark the hash tag, which in a cluster places all keys of one
 * decision on the same node. Version and kind identify the format of the value.
 */
final class Keys {

    private static final String VERSION = "v1";
    private static final int LONGEST = 64;

    private final String prefix;

    Keys(String prefix) {
        this.prefix = prefix;
    }

    /**
     * Checks the name of a limiter.
     *
     * @throws IllegalArgumentException if it is empty
     */
    static void checkName(String limiter) {
        if (limiter.isEmpty()) {
            throw new IllegalArgumentException("name must not be empty");
        }
    }

    /** Returns the hash tag of a single limiter. */
    static String tag(String limiter) {
        return shortened(named(limiter));
    }

    /** Returns the hash tag of a limiter for one key of a partitioned limiter. */
    static String tag(String limiter, String key) {
        return shortened(named(limiter) + ":" + escaped(key));
    }

    /** Returns the hash tag shared by the keys that overflow a partitioned limiter: no escaped name ends with a percent sign. */
    static String overflowTag(String limiter) {
        return shortened(named(limiter) + "%");
    }

    /** Returns the names of the keys of all members of a limit. */
    List<String> of(String tag, List<Member> members) {
        return IntStream.range(0, members.size())
                .mapToObj(i -> prefix + ":" + VERSION + ":{" + tag + "}:"
                        + members.get(i).kind().script + (i == 0 ? "" : i))
                .toList();
    }

    private static String named(String limiter) {
        checkName(limiter);
        return escaped(limiter).replace(":", "%3A");
    }

    private static String escaped(String name) {
        String text = name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return withoutHalves(text);
            }
        }
        return text;
    }

    /** Escapes unpaired surrogates, which are no characters: encoded, all of them would be the same question mark. */
    private static String withoutHalves(String text) {
        StringBuilder whole = new StringBuilder();
        text.codePoints().forEach(character -> {
            if (Character.MIN_SURROGATE <= character && character <= Character.MAX_SURROGATE) {
                whole.append("%u").append(Integer.toHexString(character));
            } else {
                whole.appendCodePoint(character);
            }
        });
        return whole.toString();
    }

    private static String shortened(String tag) {
        byte[] bytes = tag.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= LONGEST) {
            return tag;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "%" + Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException everyPlatformHasIt) {
            throw new IllegalStateException(everyPlatformHasIt);
        }
    }
}
