module example.org/import

go 1.24.0
