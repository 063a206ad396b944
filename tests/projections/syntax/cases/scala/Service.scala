package com.example

import scala.concurrent.Future

/** Sends things. */
trait Sender {
  type Out
  val name: String
  def send(value: String): Future[Unit]
}

@deprecated
class Service(val limit: Int) extends Sender with Logging {
  type Out = Unit
  val name = "two  words"
  private var count = 0
  lazy val cached: Int = {
    val local = 1
    local + limit
  }

  // Sends one.
  override def send(value: String): Future[Unit] = {
    def inner(x: Int) = x + 1
    count += inner(1)
    Future.unit
  }

  def +(other: Service): Service = this

  def this() = this(1)
}

object Service {
  val Default = new Service(1)

  def apply(): Service = Default
}

case class User(name: String, age: Int)

sealed trait State
case object Open extends State

package object helpers {
  def twice(x: Int): Int = x * 2
}
