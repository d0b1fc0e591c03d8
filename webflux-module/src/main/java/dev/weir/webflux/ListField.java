package dev.weir.webflux;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Parses a header field that is a list of names with parameters: the part of RFC 9651 that rate limit fields need. A name is a
 * string or a token; a parameter is of any type, though only numbers, strings and tokens are read. A field that is malformed
 * anywhere is ignored as a whole.
 */
final class ListField {

    /**
     * One name and its parameters, in raw form.
     *
     * @param name without quotes
     * @param parameters values by name; the value of a flag is empty
     */
    record Item(String name, Map<String, String> parameters) {

        /** Returns a parameter that is a non-negative integer; empty if it is missing or anything else. */
        OptionalLong number(String parameter) {
            String text = parameters.getOrDefault(parameter, "");
            boolean isNumber =
                    !text.isEmpty() && text.length() <= 15 && text.chars().allMatch(Character::isDigit);
            return isNumber ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
        }

        /** Returns a parameter that is a string or a token. */
        Optional<String> text(String parameter) {
            return Optional.ofNullable(parameters.get(parameter)).map(ListField::unquoted);
        }
    }

    private static final int LONGEST = 4_096;
    private static final int END = -1;

    private static final Pattern KEY = Pattern.compile("[a-z*][a-z0-9_.*-]*");
    private static final Pattern SECONDS = Pattern.compile("-?\\d{1,15}");
    private static final Pattern ENCODED = Pattern.compile("%[0-9a-f]{2}");
    private static final Pattern UNENCODED = Pattern.compile("[ -~&&[^%]]*");

    private final String text;
    private int at;

    private ListField(String text) {
        this.text = text;
    }

    /** Returns the items; none if the field is absent or malformed. */
    static List<Item> parse(String text) {
        if (text.isBlank() || text.length() > LONGEST) {
            return List.of();
        }
        try {
            return new ListField(text).items();
        } catch (MalformedException malformed) {
            return List.of();
        }
    }

    private List<Item> items() {
        List<Item> items = new ArrayList<>();
        do {
            skip(" \t");
            String name = unquoted(value());
            items.add(new Item(name, parameters()));
            skip(" \t");
        } while (accept(','));
        require(next() == END);
        return items;
    }

    private Map<String, String> parameters() {
        Map<String, String> parameters = new HashMap<>();
        while (accept(';')) {
            skip(" ");
            String key = matching(KEY, run("*-_."));
            parameters.put(key, accept('=') ? value() : "");
        }
        return parameters;
    }

    private String value() {
        return switch (next()) {
            case '"' -> quotedString();
            case ':' -> enclosed(':');
            case '?' -> flag();
            case '@' -> date();
            case '%' -> displayString();
            default -> run("-_.:/*%+!#$&'^`|~");
        };
    }

    private String flag() {
        at++;
        require(next() == '0' || next() == '1');
        return "?" + text.charAt(at++);
    }

    private String date() {
        at++;
        return "@" + matching(SECONDS, run("-."));
    }

    private String displayString() {
        at++;
        require(next() == '"');
        String inside = enclosed('"');
        matching(UNENCODED, ENCODED.matcher(inside).replaceAll(""));
        return "%" + inside;
    }

    private String quotedString() {
        int start = at++;
        while (next() != '"') {
            at += next() == '\\' ? 2 : 1;
            require(at < text.length());
        }
        at++;
        return text.substring(start, at);
    }

    private String enclosed(char by) {
        int end = text.indexOf(by, at + 1);
        require(end >= 0);
        String inside = text.substring(at, end + 1);
        at = end + 1;
        return inside;
    }

    /** Reads at least one character, of letters, digits and the given others. */
    private String run(String others) {
        int start = at;
        while (next() != END && (isLetterOrDigit(next()) || others.indexOf(next()) >= 0)) {
            at++;
        }
        require(at > start);
        return text.substring(start, at);
    }

    private static boolean isLetterOrDigit(int letter) {
        return letter < 128 && Character.isLetterOrDigit(letter);
    }

    private void skip(String spaces) {
        while (next() != END && spaces.indexOf(next()) >= 0) {
            at++;
        }
    }

    private static String matching(Pattern pattern, String part) {
        require(pattern.matcher(part).matches());
        return part;
    }

    private static void require(boolean isWellFormed) {
        if (!isWellFormed) {
            throw new MalformedException();
        }
    }

    private boolean accept(char wanted) {
        boolean found = next() == wanted;
        at += found ? 1 : 0;
        return found;
    }

    private int next() {
        return at < text.length() ? text.charAt(at) : END;
    }

    private static String unquoted(String value) {
        return value.startsWith("\"") ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1") : value;
    }

    private static final class MalformedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        MalformedException() {
            super("not a list", null, false, false);
        }
    }
}
