package modern

enum Color(val rgb: Int):
  case Red extends Color(0xff0000)
  case Green, Blue

object Main:
  def run(): Unit =
    val x = 1
    if x > 0 then
      println("positive")
      println("still")
    println("done")

given ordering: Ordering[Color] with
  def compare(a: Color, b: Color): Int = a.rgb - b.rgb

extension (s: String)
  def shout: String = s.toUpperCase

def top(x: Int): Int = x

type Id = String
