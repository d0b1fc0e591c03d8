package dev.weir.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListFieldTest {

    @Test
    @DisplayName("names with parameters, quoted or not")
    void wellFormed() {
        List<ListField.Item> items = ListField.parse(
                "\"a, \\\"b\\\"\";q=100;w=60;pk=:c2VjcmV0:, default;  r=5;qu=\"requests\";flag, x;on=?1;u=content-bytes");
        assertThat(items).extracting(ListField.Item::name).containsExactly("a, \"b\"", "default", "x");
        assertThat(items.get(0).number("q")).hasValue(100);
        assertThat(items.get(0).number("w")).hasValue(60);
        assertThat(items.get(0).number("none")).isEmpty();
        assertThat(items.get(0).number("pk")).isEmpty();
        assertThat(items.get(1).text("qu")).contains("requests");
        assertThat(items.get(1).text("flag")).contains("");
        assertThat(items.get(2).text("u")).contains("content-bytes");
    }

    @ParameterizedTest
    @DisplayName(
            "a parameter of any type that RFC 9651 has leaves the others readable, and space may be where that says")
    @ValueSource(
            strings = {
                "d=@1659578233",
                "d=@-1",
                "d=%\"f%c3%bc\"",
                "d=%\"\"",
                "d=%\"a, b;r=5\"",
                "d=1.25",
                "d=-7",
                "d=*t:/%",
                "d=?0",
                "d=:YWJj:",
                "d=\"%\"",
                "*d",
                " d_-.*0"
            })
    void anyType(String parameter) {
        for (String text : List.of("\"a\";" + parameter + ";r=1;t=9", " \"a\";r=1;  t=9;" + parameter + " \t,\tb ")) {
            ListField.Item item = ListField.parse(text).get(0);
            assertThat(item.number("r")).as(text).hasValue(1);
            assertThat(item.number("t")).as(text).hasValue(9);
        }
    }

    @ParameterizedTest
    @DisplayName("a malformed text is no list")
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "a,",
                "a,,b",
                "\"a",
                "\"a\\",
                "a;",
                "a;=1",
                "a;q=",
                "a b",
                "a;pk=:abc",
                "limit=100, remaining=5",
                "\u00fc;r=1",
                "(a b);r=1",
                "a;r=1;",
                "\"a\" ;r=0",
                "a;r=0 ;t=9",
                "a;r=0;\tt=9",
                "a;r= 0",
                "a;R=0",
                "a;1r=0",
                "a;d=@",
                "a;d=@1.5",
                "a;d=@x",
                "a;d=@1234567890123456",
                "a;d=%",
                "a;d=%x",
                "a;d=%x\"",
                "a;d=%\"f",
                "a;d=%\"f%C3%BC\"",
                "a;d=%\"%c\"",
                "a;d=%\"\u00fc\"",
                "a;d=?2"
            })
    void malformed(String text) {
        assertThat(ListField.parse(text)).isEmpty();
    }

    @Test
    @DisplayName("numbers that are negative, broken or too large are none, and a field that is too long is none")
    void wrongNumbers() {
        for (String number : List.of("-1", "1.5", "99999999999999999999", "\"5\"", "x")) {
            assertThat(ListField.parse("a;r=" + number))
                    .allSatisfy(item -> assertThat(item.number("r")).isEqualTo(OptionalLong.empty()));
        }
        assertThat(ListField.parse("a;r=999999999999999").get(0).number("r")).hasValue(999_999_999_999_999L);
        assertThat(ListField.parse("a;r=1, ".repeat(10_000) + "a;r=1")).isEmpty();
        assertThat(ListField.parse("a".repeat(4_096))).hasSize(1);
        assertThat(ListField.parse("a".repeat(4_097))).isEmpty();
    }

    @RepeatedTest(20)
    @DisplayName("a parser ends and throws nothing, whatever the text")
    void junk() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String alphabet = "ab\"\\;:,=?@%01 \t-.*";
        for (int round = 0; round < 500; round++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(20); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            assertThat(ListField.parse(text.toString()))
                    .as("seed %d: %s", seed, text)
                    .hasSizeLessThan(20);
        }
    }
}
