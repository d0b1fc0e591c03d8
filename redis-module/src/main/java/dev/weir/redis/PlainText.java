package dev.weir.redis;

import io.lettuce.core.codec.RedisCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Text as UTF-8. The client's own codec for it encodes each key into a buffer that is taken from a pool, watched for leaks, copied and
 * given back.
 */
final class PlainText implements RedisCodec<String, String> {

    static final PlainText CODEC = new PlainText();

    private PlainText() {}

    @Override
    public String decodeKey(ByteBuffer bytes) {
        return decoded(bytes);
    }

    @Override
    public String decodeValue(ByteBuffer bytes) {
        return decoded(bytes);
    }

    @Override
    public ByteBuffer encodeKey(String key) {
        return encoded(key);
    }

    @Override
    public ByteBuffer encodeValue(String value) {
        return encoded(value);
    }

    private static String decoded(ByteBuffer bytes) {
        byte[] text = new byte[bytes.remaining()];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static ByteBuffer encoded(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
