using System;
using System.Collections.Generic;

namespace Shop.Orders
{
    /// <summary>An order.</summary>
    [Serializable]
    public class Order : Base, IOrder
    {
        private const int Limit = 100;
        private readonly string _name = @"two  words", _title;

        public event EventHandler Changed;

        public int Total { get; private set; }

        public string this[int index] => _name;

        public Order(string name)
        {
            _name = name;
        }

        ~Order() { }

        [Obsolete]
        public async Task<int> Send<T>(T target) where T : ISender
        {
            int Local(int x) => x + 1;
            return Local(await target.Send(this));
        }

        public static Order operator +(Order left, Order right) => left;

        public enum State
        {
            Open,
            Paid = 2,
        }
    }

    public interface IOrder
    {
        int Total { get; }
        void Cancel();
    }

    public struct Point
    {
        public int X, Y;
    }

    public record Person(string First, string Last);

    public delegate void Handler(object sender);
}

namespace Shop.Other
{
    static class Extensions
    {
        public static int Twice(this int x) => x * 2;
    }
}
