package dev.weir.webflux;

import java.util.regex.Pattern;

/** A range of IP addresses in CIDR notation, such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}, or a single address. */
record AddressRange(IpAddress first, int prefix) {

    private static final Pattern LENGTH = Pattern.compile("\\d{1,3}");

    static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        IpAddress first =
                IpAddress.parse(slash < 0 ? text : text.substring(0, slash)).orElseThrow(() -> malformed(text));
        int most = first.length();
        if (slash < 0) {
            return new AddressRange(first, most);
        }
        String length = text.substring(slash + 1);
        if (!LENGTH.matcher(length).matches() || Integer.parseInt(length) > most) {
            throw malformed(text);
        }
        return new AddressRange(first, Integer.parseInt(length));
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(
                "range must be an address or address/length, as 10.0.0.0/8 or 2001:db8::/32, but is '" + text + "'");
    }

    boolean contains(IpAddress address) {
        return first.sharesPrefixWith(address, prefix);
    }
}
