"""The names that JavaScript, its hosts and TypeScript's library bring along."""

from typing import Final

_LANGUAGE = """
this super arguments undefined NaN Infinity globalThis eval isFinite isNaN parseFloat parseInt decodeURI
decodeURIComponent encodeURI encodeURIComponent escape unescape Object Function Boolean Symbol Number BigInt Math Date
String RegExp Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array
BigUint64Array Float16Array Float32Array Float64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer
SharedArrayBuffer DataView Atomics JSON Promise Reflect Proxy Intl Iterator AsyncIterator Generator GeneratorFunction
AsyncFunction Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError
DisposableStack AsyncDisposableStack WebAssembly Temporal
"""

_HOSTS = """
require module exports __dirname __filename process Buffer global setTimeout clearTimeout setInterval clearInterval
setImmediate clearImmediate queueMicrotask structuredClone console performance fetch Headers Request Response FormData
Blob File FileReader URL URLSearchParams URLPattern TextEncoder TextDecoder TextEncoderStream TextDecoderStream
AbortController AbortSignal Event EventTarget CustomEvent MessageChannel MessagePort MessageEvent BroadcastChannel
ReadableStream WritableStream TransformStream CompressionStream DecompressionStream crypto Crypto CryptoKey
SubtleCrypto WebSocket EventSource XMLHttpRequest Worker SharedWorker ServiceWorker navigator Navigator window self
document location history screen frames parent top opener name status closed length origin alert confirm prompt print
open close stop focus blur scroll scrollTo scrollBy localStorage sessionStorage indexedDB caches Cache
requestAnimationFrame cancelAnimationFrame requestIdleCallback cancelIdleCallback getComputedStyle getSelection
matchMedia postMessage atob btoa reportError event importScripts Node Element HTMLElement SVGElement Document
DocumentFragment ShadowRoot Text Comment Attr NodeList HTMLCollection DOMParser DOMException DOMRect Range Selection
MutationObserver ResizeObserver IntersectionObserver PerformanceObserver Image Audio Option CSS CSSStyleSheet
customElements KeyboardEvent MouseEvent PointerEvent TouchEvent WheelEvent DragEvent FocusEvent InputEvent Notification
Deno Bun define
"""

_TYPES = """
any unknown never void number string boolean symbol object bigint ReadonlyArray Partial Required Readonly Record Pick
Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType InstanceType ThisType ThisParameterType
OmitThisParameter Awaited Uppercase Lowercase Capitalize Uncapitalize NoInfer PropertyKey PropertyDescriptor ArrayLike
PromiseLike Iterable IterableIterator IteratorResult AsyncIterable AsyncIterableIterator AsyncGenerator ReadonlyMap
ReadonlySet TemplateStringsArray NodeJS JSX React
"""

BUILTINS: Final = frozenset(f"{_LANGUAGE} {_HOSTS} {_TYPES}".split())
