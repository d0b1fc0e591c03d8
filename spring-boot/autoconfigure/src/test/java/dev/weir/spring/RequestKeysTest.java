package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.webflux.HeaderStyle;
import dev.weir.webflux.RequestKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.web.util.pattern.PathPatternParser;

class RequestKeysTest {

    @Test
    @DisplayName("a key that there is not is answered with those that there are, or that no bean makes one")
    void unknownBean() {
        assertThatThrownBy(() ->
                        keys(Map.of("tenant", RequestKey.header("X-Tenant"))).find("api", "bean:tenent", List.of()))
                .isInstanceOf(InvalidLimitException.class)
                .hasMessage(
                        "Property 'weir.limits.api.key' must be none, address, principal, route, header:Name, or bean:name"
                                + " with one of the beans of type RequestKey, [tenant], but is 'bean:tenent'");
        assertThatThrownBy(() -> keys(Map.of()).find("api", "bean:tenant", List.of()))
                .hasMessageEndingWith("or bean:name, though there is no bean of type RequestKey, but is 'bean:tenant'");
    }

    private static RequestKeys keys(Map<String, RequestKey> beans) {
        return new RequestKeys(
                new WeirProperties.Http(true, HeaderStyle.NONE, List.of(), 64, List.of()),
                beans,
                PathPatternParser.defaultInstance);
    }
}
