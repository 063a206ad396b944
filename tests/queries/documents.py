"""Documents of settings as people write them: any content, any white space, any spelling of a string."""

import json

from hypothesis import strategies as st

KEYS = st.text(max_size=4) | st.sampled_from(["hooks", "Stop", "PreToolUse"])
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
DOCUMENTS = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4))
SPACES = st.text(alphabet=" \t\r\n", max_size=3)


@st.composite
def formatted(draw, documents=DOCUMENTS):
    """Write a document with arbitrary white space between its tokens."""

    def write(value):
        gap = draw(SPACES)
        if isinstance(value, dict):
            members = [f"{draw(SPACES)}{_string(key)}{draw(SPACES)}:{write(item)}" for key, item in value.items()]
            return f"{gap}{{{','.join(members) or draw(SPACES)}}}{draw(SPACES)}"
        if isinstance(value, list):
            return f"{gap}[{','.join(map(write, value)) or draw(SPACES)}]{draw(SPACES)}"
        return f"{gap}{_string(value)}{draw(SPACES)}"

    def _string(value):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    return write(draw(documents))
