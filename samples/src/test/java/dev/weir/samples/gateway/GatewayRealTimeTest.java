package dev.weir.samples.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;

class GatewayRealTimeTest {

    /** More than any of the limits admits in the seconds that they take. */
    private static final int MANY = 400;

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    @DisplayName("under a load, never more than the limit in any second, and whoever comes back when told is let in")
    void load() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String[] args = {"--rate", "300", "--load", "3000", "50"};

        Integer code = GatewayCommand.run(args, new PrintStream(out, true, StandardCharsets.UTF_8), System.err)
                .block(LONG);

        String report = out.toString(StandardCharsets.UTF_8);
        System.out.print(report);
        assertThat(code).as(report).isZero();
        assertThat(answers(report)).as("nothing counts but the load").isEqualTo(3_000);
        assertThat(report)
                .contains("3,000 requests from 50 connections")
                .contains("the limit is 300")
                .contains("refusals without Retry-After: 0; after it, alone: 200")
                .containsPattern("\\(600 requests each, in turn\\)\\Rp99 added by the filter: -?\\d+\\.\\d\\d ms");
    }

    @Test
    @DisplayName("the page, its events and the four endpoints")
    void pageAndEndpoints() {
        GatewayServer gateway = GatewayServer.open(0, 10).block(LONG);
        // Reactor Netty 1.2.18 may stop to read from a connection that is kept, after a request that waited
        // (reactor-netty#4361).
        WebClient client = WebClient.builder()
                .baseUrl(gateway.url())
                .defaultHeader("Connection", "close")
                .build();
        try {
            String page =
                    client.get().uri("/").retrieve().bodyToMono(String.class).block(LONG);
            assertThat(page)
                    .contains(
                            "new EventSource(\"/live\")",
                            "role=\"status\"",
                            "aria-label",
                            ":focus-visible",
                            "<html lang=",
                            "<h1>",
                            "<main>",
                            "prefers-color-scheme: dark");
            assertThat(page).as("nothing from elsewhere").doesNotContain("http://", "https://", "src=");

            assertThat(statuses(client, "/refuse", MANY)).containsOnly(200, 429);
            assertThat(statuses(client, "/wait", 3)).containsOnly(200);
            assertThat(statuses(client, "/per-user", MANY)).containsOnly(200, 429);
            assertThat(statuses(client, "/several", MANY)).contains(200).containsAnyOf(429, 503);

            String event = client.get()
                    .uri("/live")
                    .retrieve()
                    .bodyToFlux(String.class)
                    .blockFirst(LONG);
            assertThat(event).startsWith("[{").endsWith("}]");
            for (String limit : List.of("refuse", "wait", "per-user", "several")) {
                String refused = limit.equals("wait") ? "0" : "[1-9]\\d*";
                assertThat(event)
                        .containsPattern("\"name\":\"" + limit
                                + "\",\"available\":(-?\\d+|null),\"queued\":(0|null),\"admitted\":[1-9]\\d*,\"refused\":"
                                + refused + "\\}");
            }
        } finally {
            gateway.close().block(LONG);
        }
    }

    private static int answers(String report) {
        return Pattern.compile("^  \\d{3}: ([\\d,]+)$", Pattern.MULTILINE)
                .matcher(report)
                .results()
                .mapToInt(line -> Integer.parseInt(line.group(1).replace(",", "")))
                .sum();
    }

    private static List<Integer> statuses(WebClient client, String path, int requests) {
        return Flux.range(0, requests)
                .flatMap(number -> client.get()
                        .uri(path)
                        .exchangeToMono(response -> response.releaseBody()
                                .thenReturn(response.statusCode().value())))
                .collectList()
                .block(LONG);
    }
}
