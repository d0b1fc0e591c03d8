package dev.weir.webflux;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The key that is the IP address of the client, as far as it can be trusted. Immutable.
 *
 * <p>The peer of the connection is known; {@code X-Forwarded-For} may have been forged by its sender. So the field is used only if
 * the peer is a {@linkplain #trusting trusted} proxy, and it is read from the right, where each proxy appends the address of its
 * peer: trusted addresses are skipped, and the first other one is the client. What is left of it is not trusted. At an entry that
 * cannot be parsed, the search ends with the last known address. So it does at an empty one, which RFC 9110, section 5.6.1, has
 * recipients of lists ignore: a proxy that wrote no address vouches for none to its left.
 *
 * <p>On Reactor Netty the peer and the fields are those of the connection itself, even if the {@code ForwardedHeaderTransformer} of
 * Spring has rewritten the request. On any other server they are those of the rewritten request, whose peer is what the client wrote,
 * unresolved, so that it has no key: do not use that transformer there.
 *
 * <p>The owner of an IPv6 network has 2^64 addresses or more, so IPv6 addresses are distinguished by their first 64 bits only.
 */
public final class ClientAddress implements RequestKey {

    /** The number of entries of the field that are read at most, from the right. */
    private static final int MOST_HOPS = 64;

    private final List<AddressRange> trusted;
    private final String field;
    private final int prefix4;
    private final int prefix6;

    private ClientAddress(List<AddressRange> trusted, String field, int prefix4, int prefix6) {
        this.trusted = trusted;
        this.field = field;
        this.prefix4 = prefix4;
        this.prefix6 = prefix6;
    }

    /**
     * Returns the address of the peer of the connection, for servers without a proxy in front of them.
     *
     * @return the key
     */
    public static ClientAddress ofPeer() {
        return trusting();
    }

    /**
     * Returns the address of the client behind trusted proxies.
     *
     * @param proxies the trusted proxies: addresses, or ranges such as {@code 10.0.0.0/8} and {@code fd00::/8}
     * @return the key
     * @throws IllegalArgumentException if one of them cannot be parsed
     */
    public static ClientAddress trusting(String... proxies) {
        List<AddressRange> ranges =
                Arguments.each(proxies, "proxies").map(AddressRange::parse).toList();
        return new ClientAddress(ranges, "X-Forwarded-For", 32, 64);
    }

    /**
     * Sets the header field that the proxies write, a list of addresses with the nearest last.
     *
     * @param name of the field, default {@code X-Forwarded-For}
     * @return the changed key
     * @throws IllegalArgumentException if it is {@code Forwarded}, which is not a list of addresses (RFC 7239): all clients would
     *     have the address of the proxy
     */
    public ClientAddress from(String name) {
        if (Objects.requireNonNull(name, "name").equalsIgnoreCase("Forwarded")) {
            throw new IllegalArgumentException("name must be a field that is a list of addresses, but is " + name);
        }
        return new ClientAddress(trusted, name, prefix4, prefix6);
    }

    /**
     * Sets how many leading bits distinguish IPv6 clients.
     *
     * @param bits 1 to 128, default 64
     * @return the changed key
     * @throws IllegalArgumentException if out of range
     */
    public ClientAddress ipv6Prefix(int bits) {
        return new ClientAddress(trusted, field, prefix4, Arguments.upTo(128, bits, "bits"));
    }

    /**
     * Sets how many leading bits distinguish IPv4 clients.
     *
     * @param bits 1 to 32, default 32
     * @return the changed key
     * @throws IllegalArgumentException if out of range
     */
    public ClientAddress ipv4Prefix(int bits) {
        return new ClientAddress(trusted, field, Arguments.upTo(32, bits, "bits"), prefix6);
    }

    @Override
    public Mono<String> keyOf(ServerWebExchange exchange) {
        Connection connection = Connection.of(exchange.getRequest());
        return Mono.justOrEmpty(connection
                .peer()
                .map(peer -> isTrusted(peer) ? beforeProxies(peer, connection) : peer)
                .map(client -> client.prefixed(client.isVersion4() ? prefix4 : prefix6)));
    }

    private IpAddress beforeProxies(IpAddress peer, Connection connection) {
        IpAddress known = peer;
        List<String> hops = nearestLast(connection.fields(field));
        for (int hop = hops.size() - 1; hop >= 0 && isTrusted(known); hop--) {
            Optional<IpAddress> next = IpAddress.parse(hops.get(hop));
            if (next.isEmpty()) {
                return known;
            }
            known = next.get();
        }
        return known;
    }

    private static List<String> nearestLast(List<String> lines) {
        List<String> hops = new ArrayList<>();
        for (String line : lines) {
            hops.addAll(Arrays.asList(line.split(",", -1)));
        }
        return hops.subList(Math.max(0, hops.size() - MOST_HOPS), hops.size());
    }

    private boolean isTrusted(IpAddress address) {
        return trusted.stream().anyMatch(range -> range.contains(address));
    }
}
