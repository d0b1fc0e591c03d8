package dev.weir.webflux;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Keeps keys short: a longer one becomes its hash. What is hashed is longer than any key that is not, so that nobody can write
 * down the hash of another's key and count for it.
 */
final class BoundedKey {

    static final int LONGEST = 64;

    private static final String MARK = "sha256:";

    private BoundedKey() {}

    static String of(String key) {
        return key.length() <= LONGEST ? key : MARK + HexFormat.of().formatHex(hash(key));
    }

    private static byte[] hash(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
    }
}
