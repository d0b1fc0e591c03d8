package dev.weir.webflux;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An IPv4 or IPv6 address; an IPv4-mapped IPv6 address counts as IPv4. Parses literals only: names are never looked up.
 *
 * @param address the address as a JDK object
 */
record IpAddress(InetAddress address) {

    private static final Pattern VERSION_4 =
            Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");
    private static final Pattern VERSION_6 = Pattern.compile("[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

    /** The longest text that is parsed; no literal is longer, including port, brackets and zone. */
    private static final int LONGEST = 100;

    /** Parses {@code 192.0.2.1}, {@code 192.0.2.1:80}, {@code 2001:db8::1}, {@code [2001:db8::1]:80}, with or without a zone. */
    static Optional<IpAddress> parse(String text) {
        String host = text.length() > LONGEST ? "" : hostOf(text.strip());
        if (VERSION_4.matcher(host).matches() || VERSION_6.matcher(host).matches()) {
            return literal(host);
        }
        return Optional.empty();
    }

    private static String hostOf(String text) {
        String host = text;
        if (host.startsWith("[")) {
            int end = host.indexOf(']');
            host = end < 0 ? "" : host.substring(1, end);
        } else if (host.indexOf(':') == host.lastIndexOf(':') && host.indexOf('.') > 0) {
            host = host.replaceFirst(":\\d{1,5}$", "");
        }
        int zone = host.indexOf('%');
        return zone < 0 ? host : host.substring(0, zone);
    }

    private static Optional<IpAddress> literal(String host) {
        try {
            return Optional.of(of(InetAddress.getByName(host))); // a literal, which is not looked up
        } catch (UnknownHostException malformed) {
            return Optional.empty();
        }
    }

    /** Wraps an address; the JDK has already converted IPv4-mapped IPv6 addresses to IPv4. */
    static IpAddress of(InetAddress address) {
        return new IpAddress(address);
    }

    /** Returns the number of bits: 32 or 128. */
    int length() {
        return address.getAddress().length * Byte.SIZE;
    }

    boolean isVersion4() {
        return length() == 4 * Byte.SIZE;
    }

    boolean sharesPrefixWith(IpAddress other, int prefix) {
        return length() == other.length() && Arrays.equals(masked(prefix), other.masked(prefix));
    }

    /** Formats the prefix, as {@code 2001:db8:0:0:0:0:0:0/64}, or just the address if the prefix is all of it. */
    String prefixed(int prefix) {
        try {
            String text = InetAddress.getByAddress(masked(prefix)).getHostAddress();
            return prefix == length() ? text : text + "/" + prefix;
        } catch (UnknownHostException impossible) {
            throw new AssertionError("4 or 16 bytes", impossible);
        }
    }

    private byte[] masked(int prefix) {
        byte[] masked = address.getAddress();
        for (int index = 0; index < masked.length; index++) {
            int kept = Math.max(0, Math.min(Byte.SIZE, prefix - index * Byte.SIZE));
            masked[index] &= (byte) (0xFF << (Byte.SIZE - kept));
        }
        return masked;
    }
}
