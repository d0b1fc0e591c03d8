package dev.weir.samples.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page as somebody sees and uses it who has a keyboard, a narrow screen or a dark one: in each Chromium there is, which may be
 * none.
 */
class GatewayPageRealTimeTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int TAB = 9;
    private static final int ENTER = 13;

    /** The least contrast of any text with what is behind it, by the formula of WCAG 2. */
    private static final String LEAST_CONTRAST = """
            (() => {
              const luminance = rgb => { const c = rgb.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
              const parts = text => text.match(/[0-9.]+/g).map(Number);
              const behind = e => { const c = parts(getComputedStyle(e).backgroundColor); return c.length === 4 && c[3] === 0 ? behind(e.parentElement) : c; };
              const ratio = e => { const [a, b] = [luminance(parts(getComputedStyle(e).color)), luminance(behind(e))].sort((x, y) => y - x);
                return (a + 0.05) / (b + 0.05); };
              return Math.min(...[...document.querySelectorAll('h1,h2,p,span,dt,dd,button')].map(ratio));
            })()""";

    @TempDir
    private Path profiles;

    @TestFactory
    @DisplayName("the page in a browser")
    Stream<DynamicTest> inEachBrowser() {
        return Browser.installed().stream()
                .map(browser -> DynamicTest.dynamicTest(browser.toString(), () -> usePage(browser)));
    }

    @Test
    @DisplayName("a browser is looked for where programs are found, and nothing else is taken for one")
    void lookingForBrowsers() {
        assertThat(Browser.installed())
                .allSatisfy(found -> assertThat(found).isExecutable().isAbsolute());
        assertThat(Browser.installed()).hasSizeLessThanOrEqualTo(1);
    }

    private void usePage(Path executable) throws Exception {
        GatewayServer gateway = GatewayServer.open(0, 10).block(LONG);
        try (Browser browser = Browser.open(executable, profiles.resolve("profile"), gateway.url() + "/")) {
            await().atMost(LONG)
                    .untilAsserted(
                            () -> assertThat(browser.evaluate("document.querySelectorAll('section canvas').length"))
                                    .isEqualTo("4"));
            assertThat(browser.evaluate("document.getElementById('state').textContent"))
                    .isEqualTo("Live.");
            everyButtonIsReachedAndSaysWhatItDoes(browser);
            sendingByKeyboardIsAnnounced(browser);
            fitsNarrowScreens(browser);
            isReadableInLightAndDark(browser);
        } finally {
            gateway.close().block(LONG);
        }
    }

    private static void everyButtonIsReachedAndSaysWhatItDoes(Browser browser) throws Exception {
        List<String> reached = new ArrayList<>();
        for (int button = 0; button < 8; button++) {
            browser.press("Tab", TAB);
            reached.add(browser.evaluate("document.activeElement.getAttribute('aria-label')"));
            assertThat(browser.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
                    .as("the focus can be seen")
                    .isEqualTo("solid");
        }
        assertThat(reached)
                .containsExactly(
                        "Send 1 request to /refuse",
                        "Send 20 requests to /refuse",
                        "Send 1 request to /wait",
                        "Send 20 requests to /wait",
                        "Send 1 request to /per-user",
                        "Send 20 requests to /per-user",
                        "Send 1 request to /several",
                        "Send 20 requests to /several");
    }

    private static void sendingByKeyboardIsAnnounced(Browser browser) throws Exception {
        browser.evaluate("document.querySelector('#limit-refuse button').focus()");
        browser.press("Tab", TAB);
        browser.press("Enter", ENTER);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(browser.evaluate("document.querySelector('[role=status]').textContent"))
                        .matches("/refuse: \\d+ admitted, \\d+ refused\\."));
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(
                                browser.evaluate("document.querySelector('#limit-refuse dd.admitted').textContent"))
                        .matches("[1-9]\\d*"));
        assertThat(browser.evaluate("document.activeElement.getAttribute('aria-label')"))
                .as("the focus stays where it was")
                .isEqualTo("Send 20 requests to /refuse");
    }

    private static void fitsNarrowScreens(Browser browser) throws Exception {
        for (int width : new int[] {320, 768, 1_280}) {
            browser.command(
                    "Emulation.setDeviceMetricsOverride",
                    "{\"width\":" + width + ",\"height\":900,\"deviceScaleFactor\":1,\"mobile\":false}");
            assertThat(browser.evaluate("document.documentElement.scrollWidth <= " + width))
                    .as("nothing to scroll sideways for at %d pixels", width)
                    .isEqualTo("true");
        }
    }

    private static void isReadableInLightAndDark(Browser browser) throws Exception {
        List<String> pages = new ArrayList<>();
        for (String scheme : List.of("light", "dark")) {
            browser.command(
                    "Emulation.setEmulatedMedia",
                    "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"" + scheme + "\"}]}");
            pages.add(browser.evaluate("getComputedStyle(document.body).backgroundColor"));
            assertThat(Double.parseDouble(browser.evaluate(LEAST_CONTRAST)))
                    .as("contrast when %s", scheme)
                    .isGreaterThanOrEqualTo(4.5);
        }
        assertThat(pages).doesNotHaveDuplicates();
    }
}
