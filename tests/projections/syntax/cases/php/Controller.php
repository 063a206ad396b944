<?php

declare(strict_types=1);

namespace App\Http;

use App\Model\User;

const LIMIT = 100;
define('NAME', 'two  words');

/**
 * Answers requests.
 */
#[Route('/users')]
final class Controller extends Base implements Handler
{
    use Logs;

    public const VERSION = '1', BUILD = 2;

    private ?string $name = null;
    protected static int $count = 0, $size;

    public function __construct(private readonly Database $database)
    {
    }

    // Lists all.
    #[Cached]
    public function index(int $page = 1): array
    {
        $twice = fn($x) => $x * 2;
        $text = <<<TEXT
          two  words {$page}
        TEXT;
        return [$text, 1 . 2];
    }

    abstract protected function close(): void;
}

interface Handler
{
    public function index(): array;
}

trait Logs
{
    public function log(string $line): void
    {
        echo $line;
    }
}

enum Status: string
{
    case Open = 'open';
    case Closed = 'closed';

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

function helper(array $items): int
{
    return count($items);
}
?>
<html>
  <p>two  words</p>
</html>
