namespace Shop;

#region Text
public static class Text
{
    public static string Banner => $"""
        two  words {1 + 1}
        """;
#if DEBUG
    public static void Dump() { }
#endif
}
#endregion
