const a = 1
const b = () => {
  return
  a
}
class C {
  x = 1
  y
  z() { return this.x }
}
const text = `two  words ${a +  b} and ${
  a
}`
const pattern = /a b/g
let view = <p className="x">two  words {a}</p>
