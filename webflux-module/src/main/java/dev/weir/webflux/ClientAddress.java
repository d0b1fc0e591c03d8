package dev.weir.webflux;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * The key that is the address of the client, as far as it can be believed. Immutable.
 *
 * <p>The peer of the connection is known; what {@code X-Forwarded-For} says was written by whoever sent it. So the field counts
 * only if the peer is a proxy that is {@linkplain #trusting trusted}, and it is read from the right, where each proxy adds whom
 * it talks to: trusted addresses are passed over, and the first other one is the client. What stands left of that is hearsay.
 * Where something unreadable is met, the walk ends with the last address that was known. Neither
 * {@code ServerHttpRequest.getRemoteAddress()} nor the fields are taken from a request that Spring's
 * {@code ForwardedHeaderTransformer} has rewritten, where the connection of Reactor Netty can be asked instead; on any other server they are,
 * and the peer is then what the client wrote, so have no such transformer there.
 *
 * <p>The owner of an IPv6 network has 2^64 addresses and more, so those are told apart by their first 64 bits only.
 */
public final class ClientAddress implements RequestKey {

    /** As many proxies in a row are believed. */
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
     * Returns the address of the peer: right where no proxy stands before this server.
     *
     * @return the key
     */
    public static ClientAddress ofPeer() {
        return trusting();
    }

    /**
     * Returns the address before some proxies.
     *
     * @param proxies those that are believed: addresses, or ranges as {@code 10.0.0.0/8} and {@code fd00::/8}
     * @return the key
     * @throws IllegalArgumentException if one of them cannot be read
     */
    public static ClientAddress trusting(String... proxies) {
        List<AddressRange> ranges =
                Arguments.each(proxies, "proxies").map(AddressRange::parse).toList();
        return new ClientAddress(ranges, "X-Forwarded-For", 32, 64);
    }

    /**
     * Sets the field that the proxies write, a list of addresses with the nearest last.
     *
     * @param name unless set, {@code X-Forwarded-For}
     * @return the changed key
     * @throws IllegalArgumentException if it is {@code Forwarded}, which is no list of addresses (RFC 7239): everybody would have the
     *     address of the proxy
     */
    public ClientAddress from(String name) {
        if (Objects.requireNonNull(name, "name").equalsIgnoreCase("Forwarded")) {
            throw new IllegalArgumentException("name must be a field that is a list of addresses, but is " + name);
        }
        return new ClientAddress(trusted, name, prefix4, prefix6);
    }

    /**
     * Sets how many leading bits tell clients of IPv6 apart.
     *
     * @param bits 1 to 128; unless set, 64
     * @return the changed key
     * @throws IllegalArgumentException if it is anything else
     */
    public ClientAddress ipv6Prefix(int bits) {
        return new ClientAddress(trusted, field, prefix4, checked(bits, 128));
    }

    /**
     * Sets how many leading bits tell clients of IPv4 apart.
     *
     * @param bits 1 to 32; unless set, 32
     * @return the changed key
     * @throws IllegalArgumentException if it is anything else
     */
    public ClientAddress ipv4Prefix(int bits) {
        return new ClientAddress(trusted, field, checked(bits, 32), prefix6);
    }

    private static int checked(int bits, int most) {
        if (bits < 1 || bits > most) {
            throw new IllegalArgumentException("bits must be between 1 and " + most + ", but is " + bits);
        }
        return bits;
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
