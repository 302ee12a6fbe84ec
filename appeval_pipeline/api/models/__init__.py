"""What the API takes and gives, as types; the OpenAPI document is made from them."""
