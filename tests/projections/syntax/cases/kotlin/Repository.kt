package com.example

import kotlin.math.max

const val LIMIT = 100
private val names = listOf("two  words")

/** Keeps users. */
@Component
class Repository(private val source: Source) : Base(), Closeable {
    var size: Int = 0
        get() = field
        private set

    private val cache by lazy { mutableMapOf<Id, User>() }

    init {
        size = source.size
    }

    constructor() : this(Source.Empty)

    // Finds one.
    @Throws(NotFound::class)
    suspend fun find(id: Id): User? {
        fun inner(x: Int) = x + 1
        return cache[id]
            ?: source.find(id)
    }

    override fun close() = source.close()

    companion object {
        const val VERSION = "1"

        fun empty() = Repository()
    }
}

data class User(val id: Id, val name: String)

interface Source {
    val size: Int

    fun find(id: Id): User?

    object Empty : Source {
        override val size = 0
    }
}

enum class State(val code: String) {
    OPEN("o"),
    CLOSED("c");

    fun last() = this == CLOSED
}

sealed interface Result

object Registry {
    fun register() {}
}

typealias Id = String

fun String.shout(): String = uppercase()

fun <T> List<T>.second(): T = this[1]

fun main() {
    println("hello")
}
