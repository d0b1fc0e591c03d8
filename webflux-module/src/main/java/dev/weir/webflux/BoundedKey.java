package dev.weir.webflux;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Bounds the length of keys: a longer key is replaced by its hash. The marked hash is itself longer than any key that is not
 * hashed, so that no client can send the hash of another's key to use its limit.
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
            return MessageDigest.getInstance("SHA-256").digest(bytes(key));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java platform has SHA-256", impossible);
        }
    }

    /** Returns two bytes for each character, whatever it is: a charset would replace all unpaired surrogates by the same bytes. */
    private static byte[] bytes(String key) {
        ByteBuffer bytes = ByteBuffer.allocate(key.length() * Character.BYTES);
        bytes.asCharBuffer().put(key);
        return bytes.array();
    }
}
