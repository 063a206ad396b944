import Foundation

let limit = 100
private var names: [String] = ["two  words"]

/// Plays sounds.
@MainActor
public final class Player: NSObject, Playing {
    static let shared = Player()
    private(set) var volume: Double = 1.0 {
        didSet { update() }
    }
    var isLoud: Bool { volume > 0.5 }

    init(volume: Double) {
        self.volume = volume
    }

    deinit {
        stop()
    }

    // Starts.
    @discardableResult
    func play(_ sound: Sound, at time: TimeInterval = 0) throws -> Bool {
        func inner(x: Int) -> Int { x + 1 }
        return true
    }

    func play() {}

    subscript(index: Int) -> Sound { sounds[index] }

    enum State: String {
        case playing
        case paused, stopped

        func next() -> State { .stopped }
    }
}

struct Sound: Codable {
    let name: String
    var length = 0.0
}

protocol Playing {
    associatedtype Item
    var volume: Double { get }
    func play()
}

extension Player {
    func pause() {}
}

extension Array where Element == Int {
    func sum() -> Int { reduce(0, +) }
}

typealias Id = String

func == (left: Sound, right: Sound) -> Bool { left.name == right.name }

func main() {
    print("""
        two  words
        """)
}

actor Mixer {
    func mix() async {}
}
