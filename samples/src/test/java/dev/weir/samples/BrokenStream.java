package dev.weir.samples;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Where nothing can be printed: the first attempt fails with an error. */
public final class BrokenStream extends OutputStream {

    private BrokenStream() {}

    public static PrintStream open() {
        return new PrintStream(new BrokenStream(), true, StandardCharsets.UTF_8);
    }

    @Override
    public void write(int octet) {
        throw new UncheckedIOException(new IOException("no space left"));
    }
}
