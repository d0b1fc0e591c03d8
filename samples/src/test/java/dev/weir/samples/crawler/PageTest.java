package dev.weir.samples.crawler;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

class PageTest {

    private static final URI HERE = URI.create("http://site.test:8080/birds/heron");

    @Test
    void findsTheLinksToItsOwnSiteInOrder() {
        Page page = Page.read(HERE, 200, "", """
                <a href="/">home</a> <A class='next' HREF='dipper?wet=1#song'>next</A>
                <a href="http://elsewhere.test/">away</a> <a href="https://site.test:8080/">other scheme</a>
                <a href="#top">top</a> <a href="http://[broken">broken</a> <a href="mailto:me@site.test">mail</a>
                """);

        assertThat(page.links())
                .containsExactly(
                        URI.create("http://site.test:8080/"), URI.create("http://site.test:8080/birds/dipper?wet=1"));
        assertThat(page.isOk()).isTrue();
        assertThat(page.path()).isEqualTo("/birds/heron");
        assertThat(Page.path(page.links().get(1))).isEqualTo("/birds/dipper?wet=1");
    }

    @Test
    void aRedirectIsALink() {
        Page page = Page.read(HERE, 301, "/birds/egret", "");

        assertThat(page.links()).containsExactly(URI.create("http://site.test:8080/birds/egret"));
        assertThat(page.isOk()).isFalse();
    }
}
