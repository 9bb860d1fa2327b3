from collections.abc import Mapping
from typing import Any

Table = Mapping[Any, Any]
