"""What is known of the names that Python and its library bring along."""

from typing import Final

from linetrail.projections.proof.dialects.operators import words

BUILTINS: Final = words(
    "ArithmeticError AssertionError AttributeError BaseException "
    "BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError "
    "ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError "
    "DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup False "
    "FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError "
    "ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError "
    "KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError "
    "NotImplemented NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError "
    "ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning "
    "StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError "
    "TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError "
    "UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError abs aiter all "
    "anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex "
    "copyright credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset "
    "getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list "
    "locals map max memoryview min next object oct open ord pow print property quit range repr reversed "
    "round set setattr slice sorted staticmethod str sum super tuple type vars zip __name__ __file__ "
    "__doc__ __import__ __build_class__ __debug__ __class__ ExceptionGroup BaseExceptionGroup "
    "EncodingWarning"
)
# Functions that only look at what they are given.
PURE_CALLS: Final = words(
    "abs all any bool bytes callable chr dict divmod enumerate float frozenset getattr hasattr hash id "
    "int isinstance issubclass len list max min ord pow range repr reversed round set slice sorted str "
    "sum tuple type zip"
)
# Decorators that register nothing: a function may change places with its neighbours in spite of them.
QUIET_DECORATORS: Final = words(
    "property staticmethod classmethod abstractmethod overload override final wraps lru_cache cache "
    "cached_property contextmanager asynccontextmanager dataclass setter getter deleter total_ordering "
    "singledispatch"
)
# Decorators that do not look at annotations. Whatever else decorates may: dataclasses and routes do.
BLIND_DECORATORS: Final = words(
    "property staticmethod classmethod abstractmethod overload override final wraps lru_cache cache "
    "cached_property contextmanager asynccontextmanager setter getter deleter total_ordering fixture "
    "parametrize"
)
# What a function looks at its own variables with; the second group does so when it is given nothing.
INTROSPECTION: Final = words("locals eval exec vars dir")
OF_ITSELF: Final = words("vars dir")
