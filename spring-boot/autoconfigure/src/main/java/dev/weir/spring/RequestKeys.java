package dev.weir.spring;

import dev.weir.webflux.ClientAddress;
import dev.weir.webflux.RequestKey;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** Finds the {@link RequestKey} for the key that a property names. */
final class RequestKeys {

    private static final String HEADER = "header:";
    private static final String BEAN = "bean:";

    /** The syntax of field names (RFC 9110, section 5.1); under any other name a request never has a field, and so no key. */
    private static final Pattern FIELD_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    private final Map<String, RequestKey> beans;
    private final ClientAddress address;
    private final PathPatternParser paths;

    RequestKeys(WeirProperties.Http http, Map<String, RequestKey> beans, PathPatternParser paths) {
        this.beans = beans;
        this.paths = paths;
        this.address = addressOf(http);
    }

    private static ClientAddress addressOf(WeirProperties.Http http) {
        ClientAddress trusting;
        try {
            trusting = ClientAddress.trusting(http.trustedProxies().toArray(String[]::new));
        } catch (IllegalArgumentException unreadable) {
            throw new InvalidLimitException("weir.http.trusted-proxies", "is wrong: " + unreadable.getMessage());
        }
        if (http.ipv6Prefix() < 1 || http.ipv6Prefix() > 128) {
            throw new InvalidLimitException(
                    "weir.http.ipv6-prefix", "must be between 1 and 128, but is " + http.ipv6Prefix());
        }
        return trusting.ipv6Prefix(http.ipv6Prefix());
    }

    /** Returns the key of a limit. For the key {@code route}, the patterns of the rule are used if there are any. */
    RequestKey find(String limit, String key, List<String> patterns) {
        String field = key.startsWith(HEADER) ? key.substring(HEADER.length()) : "";
        if (FIELD_NAME.matcher(field).matches()) {
            return RequestKey.header(field);
        }
        RequestKey bean = key.startsWith(BEAN) ? beans.get(key.substring(BEAN.length())) : null;
        if (bean != null) {
            return bean;
        }
        return switch (key) {
            case "address" -> address;
            case "principal" -> RequestKey.principal();
            case "route" ->
                patterns.isEmpty() ? RequestKey.route() : RequestKey.path(paths, patterns.toArray(String[]::new));
            default ->
                throw new InvalidLimitException(
                        "weir.limits." + limit + ".key",
                        "must be none, address, principal, route, header:Name, or bean:name" + choiceOfBeans()
                                + ", but is '" + key + "'");
        };
    }

    private String choiceOfBeans() {
        return beans.isEmpty()
                ? ", though there is no bean of type RequestKey"
                : " with one of the beans of type RequestKey, " + beans.keySet();
    }

    /** Returns whether a key is available before authentication. */
    static boolean isKnownEarly(String key) {
        return key.equals("address") || key.equals("route") || key.startsWith(HEADER);
    }
}
