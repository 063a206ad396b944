# frozen_string_literal: true

require 'json'

# Money things.
module Bank
  RATE = 0.2

  # An account.
  class Account < Base
    LIMIT = 100
    attr_reader :name, :balance

    def initialize(name)
      @name = name
    end

    # Whether it can be closed.
    def closable?
      balance.zero?
    end

    def balance=(value)
      @balance = value
    end

    def <=>(other)
      balance <=> other.balance
    end

    def self.open(name) = new(name)

    class << self
      def find(id)
        all.detect { |account| account.id == id }
      end
    end

    private

    def text
      <<~TEXT
        two  words
          #{name}
      TEXT
    end
  end

  class Error < StandardError; end
  Point = Struct.new(:x, :y) do
    def distance
      puts [x, y]
      puts -x
    end
  end
end

def helper(*args, **options, &block)
  yield args if block
end

class Bank::Branch
  def open; end
end
